// LARS as SimCLR uses it: each tensor's step is scaled by trust |p| / |g|. Parameters outside the decay group take plain momentum steps.
//   g' = g + wd p;  q = trust |p| / |g'|;  v = momentum v + lr q g';  p -= v
#include <ATen/TensorOperators.h>

#include "core/optim/optimizers.h"

namespace contrastive::optim {
namespace {

class Lars : public Optimizer {
 public:
  Lars(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters), {"velocity"}), options_(options) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr, int64_t) override {
    at::Tensor p = parameter.tensor.detach();
    at::Tensor& velocity = slots[0];
    at::Tensor g = parameter.tensor.grad();
    double adapted = 1;
    if (parameter.decay) {
      if (options_.weight_decay > 0) g = g + p * options_.weight_decay;
      const double p_norm = p.norm().item<double>(), g_norm = g.norm().item<double>();
      // Either may be 0: a layer that starts at zero, or a gradient that vanished.
      if (p_norm > 0 && g_norm > 0) adapted = options_.trust * p_norm / g_norm;
    }
    velocity.mul_(options_.momentum).add_(g, lr * adapted);
    p.sub_(velocity);
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_lars(const OptimizerOptions& options, std::vector<Parameter> parameters) {
  return std::make_unique<Lars>(options, std::move(parameters));
}

}  // namespace contrastive::optim
