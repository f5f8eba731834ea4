// The forward and backward passes of one update: runs a method's two stages over the update's
// parts, and adds the gradients to its parameters. Does not change weights.
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

// The terms of several losses. Each is the mean over the losses that have it, because parts of
// different tasks have different terms.
class TermMeans {
 public:
  void add(const std::vector<std::pair<std::string, double>>& terms);
  std::vector<std::pair<std::string, double>> means() const;  // in the order of their first
                                                              // occurrence

 private:
  std::vector<std::pair<std::string, double>> sums_;
  std::vector<double> counts_;
};

struct PassResult {
  // The loss and its terms, from one comparison or as TermMeans over the parts. The first is the
  // total.
  std::vector<std::pair<std::string, double>> terms;
  int64_t tokens = 0;
  int64_t truncated = 0;                                            // texts
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();  // of all parameters together,
                                                                    // if requested
  std::optional<size_t>
      bad_part;  // the part whose loss is not finite; no gradients are computed then
  methods::Views
      views;  // the compared views, without a graph: of all parts, of the bad one, or of the first
};

class GradientPass {
 public:
  // `world`: the ranks that share the run, each of which calls run() with its share of the same
  // update; null for one rank. It must outlive this object.
  GradientPass(methods::Method& method, optim::Amp amp, c10::Device device,
               dist::World* world = nullptr);

  // Adds the gradients of `scale` times the loss to those of the method's parameters.
  PassResult run(const Update& update, double scale);
  // The same with the scale of `scaler`. If gradients are not finite, it tries again with a smaller
  // scale, down to 1. The final gradients are scaler.scale() times those of the loss;
  // `gradient_norm` does not include the scale.
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
// Leaves that replace the views, to get the gradient of the loss at the views.
methods::Views leaves_of(methods::Views views);
// All values in one transfer, because on a GPU each separate one would wait for everything before
// it.
std::vector<std::pair<std::string, double>> read_terms(const methods::LossTerms& terms);
// A scalar whose gradient at the views is the given gradient at their leaves; undefined if no leaf
// has a gradient. The leaves of `views` begin at `rows`.
at::Tensor carried(const methods::Views& views, const methods::Views& leaves,
                   const std::vector<int64_t>& rows);

}  // namespace contrastive::run
