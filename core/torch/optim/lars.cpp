// LARS as SimCLR uses it: each tensor's step is scaled by trust |p| / |g|. Parameters outside the
// decay group take plain momentum steps.
//   g' = g + wd p;  q = trust |p| / |g'|;  v = momentum v + lr q g';  p -= v
#include <ATen/TensorOperators.h>

#include <cmath>
#include <vector>

#include "core/torch/optim/optimizer_list.h"
#include "core/torch/optim/shared_keys.h"
#include "core/torch/optim/stretches.h"

namespace contrastive::optim {
namespace {

struct LarsKeys {
  double trust = 0.001;

  void visit(OptionVisitor& v) {
    v.real("trust", trust, above(0, 10),
           OptionDoc("trust coefficient of lars").source("SimCLR: 0.001"));
  }
};

class Lars : public EachByItself {
 public:
  Lars(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : EachByItself(std::move(parameters), {"velocity"}), weight_decay_(options.weight_decay),
        momentum_(read_options<MomentumKeys>(options.keys).momentum),
        trust_(read_options<LarsKeys>(options.keys).trust) {}

 private:
  void update(const Parameter& parameter, Slots& slots, double lr) override {
    const std::vector<at::Tensor> tensors{parameter.tensor.detach(), parameter.tensor.grad(),
                                          slots[0]};
    const double decay = parameter.decay ? weight_decay_ : 0;
    const double rate = parameter.decay ? lr * trust(tensors, decay) : lr;
    each_stretch(tensors, [&](int64_t, const std::vector<at::Tensor>& part) {
      part[2].mul_(momentum_).add_(decayed(part, decay), rate);
      part[0].sub_(part[2]);
    });
  }

  static at::Tensor decayed(const std::vector<at::Tensor>& part, double decay) {
    return decay > 0 ? part[1].add(part[0], decay) : part[1];
  }  // g'

  double trust(const std::vector<at::Tensor>& tensors, double decay) const {
    struct Squares {
      double parameter = 0, gradient = 0;
    };
    std::vector<Squares> parts(static_cast<size_t>(stretches(tensors[0])));
    each_stretch(tensors, [&](int64_t number, const std::vector<at::Tensor>& part) {
      const auto square = [](const at::Tensor& x) { return std::pow(x.norm().item<double>(), 2); };
      parts[static_cast<size_t>(number)] = {square(part[0]), square(decayed(part, decay))};
    });
    Squares sum;
    for (const Squares& part : parts) {
      sum.parameter += part.parameter;
      sum.gradient += part.gradient;
    }
    // Either may be 0: a layer that starts at zero, or a gradient that vanished.
    return sum.parameter > 0 && sum.gradient > 0
               ? trust_ * std::sqrt(sum.parameter) / std::sqrt(sum.gradient)
               : 1;
  }

  double weight_decay_, momentum_, trust_;
};

}  // namespace

OptimizerEntry lars_optimizer() {
  return {"lars", make<Lars>, {visit_keys<MomentumKeys>, visit_keys<LarsKeys>}};
}

}  // namespace contrastive::optim
