// The forward and backward passes of one update: a method's two stages over the update's parts, gradients left in its parameters. The weights do not
// move here.
#pragma once

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/methods/method.h"
#include "core/optim/mixed_precision.h"
#include "core/train/update_source.h"

namespace contrastive::train {

struct PassResult {
  // The loss and its terms: of the one comparison, or the mean over the parts. The first is the total.
  std::vector<std::pair<std::string, double>> terms;
  int64_t tokens = 0;
  double gradient_norm = std::numeric_limits<double>::quiet_NaN();  // of all parameters together, where it was asked for
  std::optional<size_t> bad_part;                                   // the loss of this part is not finite; there are no gradients then
  methods::Views views;                                             // what was compared, without a graph: of all parts, of the bad one, or of the first
};

class GradientPass {
 public:
  GradientPass(methods::Method& method, optim::Amp amp, c10::DeviceType device) : method_(method), amp_(amp), device_(device) {}

  // Adds the gradients of `scale` times the loss to those of the method's parameters.
  PassResult run(const Update& update, double scale);
  // The same with a scale that fits: gradients of the parameters that are not finite are met by a smaller one and another try, until it is 1. What they
  // are in the end is scaler.scale() times the loss's; `gradient_norm` is without it.
  PassResult run(const Update& update, optim::GradScaler& scaler, const std::vector<methods::Parameter>& parameters);

 private:
  methods::Views views(const data::Batch& part);
  PassResult run_parts(const std::vector<data::Batch>& parts, double scale);
  PassResult run_across(const Update& update, double scale);

  methods::Method& method_;
  optim::Amp amp_;
  c10::DeviceType device_;
};

}  // namespace contrastive::train
