// Stochastic gradient descent with momentum, as torch.optim.SGD: weight decay is added to the
// gradient, the first step's velocity is the gradient.
#include <ATen/TensorOperators.h>

#include "core/torch/optim/optimizers.h"
#include "core/torch/optim/stretches.h"

namespace contrastive::optim {
namespace {

class Sgd : public EachByItself {
 public:
  Sgd(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : EachByItself(std::move(parameters), {"velocity"}), options_(options) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr) override {
    each_stretch({parameter.tensor.detach(), parameter.tensor.grad(), slots[0]},
                 [&](int64_t, const std::vector<at::Tensor>& part) {
                   const at::Tensor &p = part[0], &g = part[1], &velocity = part[2];
                   velocity.mul_(options_.momentum).add_(g);
                   if (parameter.decay && options_.weight_decay > 0)
                     velocity.add_(p, options_.weight_decay);
                   p.add_(velocity, -lr);
                 });
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_sgd(const OptimizerOptions& options,
                                    std::vector<Parameter> parameters) {
  return std::make_unique<Sgd>(options, std::move(parameters));
}

}  // namespace contrastive::optim
