// The forward and backward passes of one update: a method's two stages over the update's parts,
// gradients left in its parameters. The weights do not move here.
#pragma once

#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/torch/dist/gradient_sum.h"
#include "core/torch/methods/method.h"
#include "core/torch/optim/mixed_precision.h"
#include "core/torch/run/update_source.h"

namespace contrastive::run {

// The terms of several losses, each the mean over those that have it: parts of different tasks have
// different ones.
class TermMeans {
 public:
  void add(const std::vector<std::pair<std::string, double>>& terms);
  std::vector<std::pair<std::string, double>> means() const;  // in the order in which they were met

 private:
  std::vector<std::pair<std::string, double>> sums_;
  std::vector<double> counts_;
};

struct PassResult {
  // The loss and its terms: of the one comparison, or TermMeans over the parts. The first is the
  // total.
  std::vector<std::pair<std::string, double>> terms;
  int64_t tokens = 0;
  int64_t truncated = 0;                                            // texts
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();  // of all parameters together,
                                                                    // where it was asked for
  std::optional<size_t>
      bad_part;  // the loss of this part is not finite; there are no gradients then
  methods::Views
      views;  // what was compared, without a graph: of all parts, of the bad one, or of the first
};

class GradientPass {
 public:
  // `world`: of the ranks that share the run, each of which calls run() with its share of the same
  // update; null for one. It must stay.
  GradientPass(methods::Method& method, optim::Amp amp, c10::Device device,
               dist::World* world = nullptr);

  // Adds the gradients of `scale` times the loss to those of the method's parameters.
  PassResult run(const Update& update, double scale);
  // The same with a scale that fits: gradients of the parameters that are not finite are met by a
  // smaller one and another try, until it is 1. What they are in the end is scaler.scale() times
  // the loss's; `gradient_norm` is without it.
  PassResult run(const Update& update, optim::GradScaler& scaler,
                 const std::vector<methods::Parameter>& parameters);

 private:
  methods::Views views(const data::Batch& part);
  PassResult run_parts(const std::vector<data::Batch>& parts, double scale);
  PassResult run_across(const Update& update, double scale);
  // Among ranks (ranked_pass.cpp).
  struct Unit;
  PassResult run_ranked(const Update& update, double scale);
  bool run_unit(const Update& update, const Unit& unit, double scale, PassResult& result,
                TermMeans& terms);

  methods::Method& method_;
  optim::Amp amp_;
  c10::Device device_;
  dist::World* world_;
  std::unique_ptr<dist::GradientSum> sum_;  // null without a world
};

// Parts of a pass, shared with ranked_pass.cpp.
int64_t truncated_texts(const data::Batch& part);
methods::Views without_graph(methods::Views views);
// What the loss has for a gradient at the views: leaves in their place, to be differentiated to.
methods::Views leaves_of(methods::Views views);
// All values in one transfer: on a GPU each one by itself would wait for everything before it.
std::vector<std::pair<std::string, double>> read_terms(const methods::LossTerms& terms);
// What a gradient at the leaves adds up to at the views that they stand for: a scalar to be
// differentiated; undefined where there is none. The leaves of `views` begin at `rows`.
at::Tensor carried(const methods::Views& views, const methods::Views& leaves,
                   const std::vector<int64_t>& rows);

}  // namespace contrastive::run
