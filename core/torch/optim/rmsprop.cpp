// RMSprop as torch.optim.RMSprop without momentum and centring: weight decay is added to the
// gradient, eps to the root.
//   g' = g + wd p;  v = alpha v + (1 - alpha) g'^2;  p -= lr g' / (sqrt(v) + eps)
#include <ATen/TensorOperators.h>

#include "core/torch/optim/optimizers.h"
#include "core/torch/optim/stretches.h"

namespace contrastive::optim {
namespace {

class RmsProp : public EachByItself {
 public:
  RmsProp(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : EachByItself(std::move(parameters), {"square"}), options_(options) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr) override {
    each_stretch({parameter.tensor.detach(), parameter.tensor.grad(), slots[0]},
                 [&](int64_t, const std::vector<at::Tensor>& part) {
                   const at::Tensor &p = part[0], &square = part[2];
                   const at::Tensor g = parameter.decay && options_.weight_decay > 0
                                            ? part[1].add(p, options_.weight_decay)
                                            : part[1];
                   square.mul_(options_.alpha).addcmul_(g, g, 1 - options_.alpha);
                   p.addcdiv_(g, square.sqrt().add_(options_.eps), -lr);
                 });
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_rmsprop(const OptimizerOptions& options,
                                        std::vector<Parameter> parameters) {
  return std::make_unique<RmsProp>(options, std::move(parameters));
}

}  // namespace contrastive::optim
