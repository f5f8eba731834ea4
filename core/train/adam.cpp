// Adam and its two forms with decoupled weight decay, which are not bit-equal:
//   adam      L2: wd p is added to the gradient (torch.optim.Adam)
//   adamw     p -= lr wd p first; eps is added after the bias correction of sqrt(v) (torch.optim.AdamW)
//   adamw-hf  eps stands next to sqrt(v) without bias correction; p -= lr wd p last (transformers.AdamW, which ConSERT and SG-OPT used)
//
// All three run on LibTorch's fused kernels, one pass over p, g, m and v on any device, which compute
//   m, v updated;  p -= (lr / c1) m / (sqrt(v) / sqrt(c2) + eps)   with c1 = 1 - beta1^t, c2 = 1 - beta2^t
#include <ATen/TensorOperators.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>

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
    const double decay = parameter.decay ? options_.weight_decay : 0;
    switch (options_.kind) {
      case OptimizerKind::kAdam: return fused(at::_fused_adam_, p, parameter.tensor.grad(), slots, lr, options_.eps, decay, step);
      case OptimizerKind::kAdamW: return fused(at::_fused_adamw_, p, parameter.tensor.grad(), slots, lr, options_.eps, decay, step);
      default: break;
    }
    // rate m / (sqrt(v) + eps) in the kernel's terms: the correction of sqrt(v) is divided out of numerator and eps.
    const double c1 = 1 - std::pow(options_.beta1, static_cast<double>(step));
    const double root_c2 = std::sqrt(1 - std::pow(options_.beta2, static_cast<double>(step)));
    const double rate = options_.correct_bias ? lr : lr * c1 / root_c2;
    fused(at::_fused_adamw_, p, parameter.tensor.grad(), slots, rate, options_.eps / root_c2, 0, step);
    if (decay > 0) p.mul_(1 - lr * decay);
  }

  using Kernel = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, at::TensorList, double, double,
                          double, double, double, bool, bool, const std::optional<at::Tensor>&, const std::optional<at::Tensor>&);
  void fused(Kernel kernel, at::Tensor& p, const at::Tensor& gradient, Slots& slots, double lr, double eps, double decay, int64_t step) {
    const at::Tensor steps = at::full({}, static_cast<double>(step), p.options().dtype(at::kFloat));
    kernel({p}, {gradient.contiguous()}, {slots[0]}, {slots[1]}, {}, {steps}, lr, options_.beta1, options_.beta2, decay, eps, false, false, {}, {});
  }

  OptimizerOptions options_;
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options, std::vector<methods::Parameter> parameters) {
  return std::make_unique<Adam>(options, std::move(parameters));
}

}  // namespace contrastive::train
