// RMSprop as torch.optim.RMSprop without momentum and centring: weight decay is added to the
// gradient, eps to the root.
//   g' = g + wd p;  v = alpha v + (1 - alpha) g'^2;  p -= lr g' / (sqrt(v) + eps)
#include <ATen/TensorOperators.h>

#include "core/torch/optim/optimizer_list.h"
#include "core/torch/optim/stretches.h"

namespace contrastive::optim {
namespace {

struct RmsPropKeys {
  double alpha = 0.99;
  double eps = 1e-8;

  void visit(OptionVisitor& v) {
    v.real("alpha", alpha, {0, 1, false, true}, "decay rate of the mean of squares");
    v.real("eps", eps, above(0, 1), "added to the root of the mean of squares");
  }
};

class RmsProp : public EachByItself {
 public:
  RmsProp(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : EachByItself(std::move(parameters), {"square"}), weight_decay_(options.weight_decay),
        keys_(read_options<RmsPropKeys>(options.keys)) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr) override {
    each_stretch({parameter.tensor.detach(), parameter.tensor.grad(), slots[0]},
                 [&](int64_t, const std::vector<at::Tensor>& part) {
                   const at::Tensor &p = part[0], &square = part[2];
                   const at::Tensor g = parameter.decay && weight_decay_ > 0
                                            ? part[1].add(p, weight_decay_)
                                            : part[1];
                   square.mul_(keys_.alpha).addcmul_(g, g, 1 - keys_.alpha);
                   p.addcdiv_(g, square.sqrt().add_(keys_.eps), -lr);
                 });
  }

  double weight_decay_;
  RmsPropKeys keys_;
};

}  // namespace

OptimizerEntry rmsprop_optimizer() {
  return {"rmsprop", make<RmsProp>, {visit_keys<RmsPropKeys>}, false};
}

}  // namespace contrastive::optim
