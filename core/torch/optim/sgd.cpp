// Stochastic gradient descent with momentum, as torch.optim.SGD: weight decay is added to the
// gradient, the first step's velocity is the gradient.
#include <ATen/TensorOperators.h>

#include "core/torch/optim/optimizer_list.h"
#include "core/torch/optim/shared_keys.h"
#include "core/torch/optim/stretches.h"

namespace contrastive::optim {
namespace {

class Sgd : public EachByItself {
 public:
  Sgd(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : EachByItself(std::move(parameters), {"velocity"}), weight_decay_(options.weight_decay),
        momentum_(read_options<MomentumKeys>(options.keys).momentum) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr) override {
    each_stretch({parameter.tensor.detach(), parameter.tensor.grad(), slots[0]},
                 [&](int64_t, const std::vector<at::Tensor>& part) {
                   const at::Tensor &p = part[0], &g = part[1], &velocity = part[2];
                   velocity.mul_(momentum_).add_(g);
                   if (parameter.decay && weight_decay_ > 0) velocity.add_(p, weight_decay_);
                   p.add_(velocity, -lr);
                 });
  }

  double weight_decay_, momentum_;
};

}  // namespace

OptimizerEntry sgd_optimizer() { return {"sgd", make<Sgd>, {visit_keys<MomentumKeys>}}; }

}  // namespace contrastive::optim
