// RMSprop as torch.optim.RMSprop without momentum and centring: weight decay is added to the gradient, eps to the root.
//   g' = g + wd p;  v = alpha v + (1 - alpha) g'^2;  p -= lr g' / (sqrt(v) + eps)
#include <ATen/TensorOperators.h>

#include "core/optim/optimizers.h"

namespace contrastive::optim {
namespace {

class RmsProp : public Optimizer {
 public:
  RmsProp(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters), {"square"}), options_(options) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr, int64_t) override {
    at::Tensor p = parameter.tensor.detach();
    at::Tensor g = parameter.tensor.grad();
    if (parameter.decay && options_.weight_decay > 0) g = g.add(p, options_.weight_decay);
    at::Tensor& square = slots[0];
    square.mul_(options_.alpha).addcmul_(g, g, 1 - options_.alpha);
    p.addcdiv_(g, square.sqrt().add_(options_.eps), -lr);
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_rmsprop(const OptimizerOptions& options, std::vector<Parameter> parameters) {
  return std::make_unique<RmsProp>(options, std::move(parameters));
}

}  // namespace contrastive::optim
