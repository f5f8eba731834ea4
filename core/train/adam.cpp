// Adam and its two forms with decoupled weight decay, which are not bit-equal:
//   adam      L2: wd p is added to the gradient (torch.optim.Adam)
//   adamw     p -= lr wd p first; eps is added after the bias correction of sqrt(v) (torch.optim.AdamW)
//   adamw-hf  eps stands next to sqrt(v) without bias correction; p -= lr wd p last (transformers.AdamW, which ConSERT and SG-OPT used)
#include <ATen/TensorOperators.h>

#include <cmath>

#include "core/train/optimizers.h"

namespace contrastive::train {
namespace {

class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<methods::Parameter> parameters)
      : Optimizer(std::move(parameters), {"mean", "square"}), options_(options) {}

 private:
  void update(const methods::Parameter& parameter, Slots& slots, double lr, int64_t step) override {
    at::Tensor p = parameter.tensor.detach();
    at::Tensor g = parameter.tensor.grad();
    at::Tensor &mean = slots[0], &square = slots[1];
    const double decay = parameter.decay ? options_.weight_decay : 0;
    if (options_.kind == OptimizerKind::kAdam && decay > 0) g = g + p * decay;
    if (options_.kind == OptimizerKind::kAdamW && decay > 0) p.mul_(1 - lr * decay);
    mean.mul_(options_.beta1).add_(g, 1 - options_.beta1);
    square.mul_(options_.beta2).addcmul_(g, g, 1 - options_.beta2);
    const double mean_correction = 1 - std::pow(options_.beta1, static_cast<double>(step));
    const double square_correction = std::sqrt(1 - std::pow(options_.beta2, static_cast<double>(step)));
    if (options_.kind == OptimizerKind::kAdamWHf) {
      const double rate = options_.correct_bias ? lr * square_correction / mean_correction : lr;
      p.addcdiv_(mean, square.sqrt().add_(options_.eps), -rate);
      if (decay > 0) p.mul_(1 - lr * decay);
    } else {
      p.addcdiv_(mean, square.sqrt().div_(square_correction).add_(options_.eps), -lr / mean_correction);
    }
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, std::vector<methods::Parameter> parameters) {
  return std::make_unique<Adam>(options, std::move(parameters));
}

}  // namespace contrastive::train
