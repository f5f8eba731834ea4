// Adam and its two forms with decoupled weight decay, which are not bit-equal:
//   adam      L2: wd p is added to the gradient (torch.optim.Adam)
//   adamw     p -= lr wd p first; eps is added after the bias correction of sqrt(v)
//             (torch.optim.AdamW)
//   adamw-hf  eps is added to sqrt(v) before the bias correction; p -= lr wd p last
//             (transformers.AdamW, which ConSERT and SG-OPT used)
//
// With c1 = 1 - beta1^t, c2 = 1 - beta2^t all three are
//   p = (p before - rate m / (sqrt(v) root_scale + eps)) after
// In float32 on the CPU that is one pass over p, g, m and v of all parameters. It skips stretches
// that never had a gradient: they only decay. Elsewhere LibTorch's fused kernels do it.
#include <ATen/TensorOperators.h>
#include <ATen/ops/_foreach_mul.h>
#include <ATen/ops/_fused_adam.h>
#include <ATen/ops/_fused_adamw.h>
#include <ATen/ops/full.h>

#include <algorithm>
#include <cmath>

#include "core/cpu/kernels.h"
#include "core/torch/optim/optimizer_list.h"
#include "core/torch/optim/shared_keys.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::optim {
namespace {

using cpu::AdamTask;

constexpr int64_t kStretch = 128;           // elements that are skipped together
constexpr int64_t kPiece = 128 * kStretch;  // elements that one thread takes at a time

enum class Form { kAdam, kAdamW, kAdamWHf };

struct AdamWHfKeys {
  bool correct_bias = true;

  void visit(OptionVisitor& v) {
    v.flag("correct_bias", correct_bias,
           OptionDoc("bias correction of adamw-hf").source("ConSERT's code: off"));
  }
};

class Adam : public Optimizer {
 public:
  Adam(Form form, const OptimizerOptions& options, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters), {"mean", "square"}), form_(form),
        weight_decay_(options.weight_decay),
        correct_bias_(read_options<AdamWHfKeys>(options.keys).correct_bias) {
    const auto keys = read_options<AdamKeys>(options.keys);
    beta1_ = keys.betas[0];
    beta2_ = keys.betas[1];
    eps_ = keys.eps;
  }

 private:
  struct Piece {
    AdamTask task;
    uint8_t* moved;  // for each stretch: 1 = its moments may not be 0
    bool skips;
  };

  void update_all(const std::vector<Item>& items, double lr, double gradient_scale,
                  int64_t step) override {
    std::vector<Piece> pieces;
    std::vector<at::Tensor> gradients;  // contiguous ones, alive until the pieces are done
    std::vector<Group> others;
    for (const Item& item : items) {
      const at::Tensor& p = item.parameter->tensor;
      const bool plain = p.device().is_cpu() && p.scalar_type() == at::kFloat &&
                         p.grad().scalar_type() == at::kFloat && p.is_contiguous();
      if (plain) {
        gradients.push_back(p.grad().contiguous());
        add_pieces(item, gradients.back(),
                   task_for(item.parameter->decay, lr, gradient_scale, step), pieces);
      } else {
        add(item, others);
      }
    }
    begin_moving();
    for (Group& group : others) update_group(group, lr, gradient_scale, step);
    runtime::parallel_for(static_cast<int64_t>(pieces.size()),
                          [&](int64_t i) { run(pieces[static_cast<size_t>(i)]); });
  }

  AdamTask task_for(bool decays, double lr, double gradient_scale, int64_t step) const {
    const double decay = decays ? weight_decay_ : 0,
                 c1 = 1 - std::pow(beta1_, static_cast<double>(step));
    const double root_c2 = std::sqrt(1 - std::pow(beta2_, static_cast<double>(step)));
    const bool hf = form_ == Form::kAdamWHf;
    AdamTask task;
    task.gradient_scale = static_cast<float>(gradient_scale);
    task.beta1 = static_cast<float>(beta1_);
    task.beta2 = static_cast<float>(beta2_);
    task.fresh1 = static_cast<float>(1 - beta1_);
    task.fresh2 = static_cast<float>(1 - beta2_);
    task.eps = static_cast<float>(eps_);
    task.rate = static_cast<float>(!hf ? lr / c1 : correct_bias_ ? lr * root_c2 / c1 : lr);
    task.root_scale = static_cast<float>(hf ? 1 : 1 / root_c2);
    if (form_ == Form::kAdam) task.l2 = static_cast<float>(decay);
    if (form_ == Form::kAdamW) task.before = static_cast<float>(1 - lr * decay);
    if (hf) task.after = static_cast<float>(1 - lr * decay);
    return task;
  }

  void add_pieces(const Item& item, const at::Tensor& gradient, AdamTask task,
                  std::vector<Piece>& pieces) {
    const int64_t count = gradient.numel();
    std::vector<uint8_t>& moved = moved_of(item.number, *item.slots);
    for (int64_t begin = 0; begin < count; begin += kPiece) {
      task.count = std::min(kPiece, count - begin);
      task.parameter = item.parameter->tensor.mutable_data_ptr<float>() + begin;
      task.gradient = gradient.const_data_ptr<float>() + begin;
      task.mean = (*item.slots)[0].mutable_data_ptr<float>() + begin;
      task.square = (*item.slots)[1].mutable_data_ptr<float>() + begin;
      pieces.push_back({task, moved.data() + begin / kStretch, task.l2 == 0 && task.eps > 0});
    }
  }

  // Finds which stretches have moments, by reading them if that is not known: at first and after a
  // resume.
  std::vector<uint8_t>& moved_of(size_t number, const Slots& slots) {
    if (moved_.size() <= number) moved_.resize(number + 1);
    if (!moved_[number].empty()) return moved_[number];
    std::vector<uint8_t> moved;
    const int64_t count = slots[0].numel();
    const float *mean = slots[0].const_data_ptr<float>(),
                *square = slots[1].const_data_ptr<float>();
    const cpu::UpdateKernels& kernels = *cpu::kernels().update;
    for (int64_t begin = 0; begin < count; begin += kStretch) {
      const int64_t some = std::min(kStretch, count - begin);
      moved.push_back(steps() > 1 && !(kernels.is_zero(mean + begin, some) &&
                                       kernels.is_zero(square + begin, some)));
    }
    moved_[number] = std::move(moved);
    return moved_[number];
  }

  static void run(const Piece& piece) {
    const cpu::UpdateKernels& kernels = *cpu::kernels().update;
    for (int64_t begin = 0; begin < piece.task.count; begin += kStretch) {
      AdamTask task = piece.task;
      task.count = std::min(kStretch, piece.task.count - begin);
      task.parameter += begin;
      task.gradient += begin;
      task.mean += begin;
      task.square += begin;
      uint8_t& moved = piece.moved[begin / kStretch];
      if (piece.skips && moved == 0 && kernels.is_zero(task.gradient, task.count)) {
        // m = v = 0 stay, and p loses 0 / eps = 0: what is left of the formula, to the bit.
        if (task.before == 1 && task.after == 1) continue;
        for (int64_t i = 0; i < task.count; ++i)
          task.parameter[i] = task.parameter[i] * task.before * task.after;
        continue;
      }
      moved = 1;
      kernels.adam(task);
    }
  }

  void slots_replaced() override { moved_.clear(); }

  // Items that the kernels above do not handle, grouped by device, type and decay, so that a GPU
  // gets one call for a group instead of one for each item.
  struct Group {
    std::vector<at::Tensor> parameters, gradients, means, squares;
    double decay = 0;
  };

  void add(const Item& item, std::vector<Group>& groups) const {
    const at::Tensor& p = item.parameter->tensor;
    const double decay = item.parameter->decay ? weight_decay_ : 0;
    const auto alike = [&](const Group& group) {
      const at::Tensor& first = group.parameters.front();
      return first.device() == p.device() && first.scalar_type() == p.scalar_type() &&
             group.decay == decay;
    };
    auto found = std::find_if(groups.begin(), groups.end(), alike);
    if (found == groups.end()) found = groups.insert(groups.end(), Group{{}, {}, {}, {}, decay});
    Group& group = *found;
    group.parameters.push_back(p.detach());
    group.gradients.push_back(item.parameter->tensor.grad().contiguous());
    group.means.push_back((*item.slots)[0]);
    group.squares.push_back((*item.slots)[1]);
  }

  void update_group(Group& group, double lr, double gradient_scale, int64_t step) {
    if (gradient_scale != 1) at::_foreach_mul_(group.gradients, gradient_scale);
    switch (form_) {
      case Form::kAdam: return fused(at::_fused_adam_, group, lr, eps_, group.decay, step);
      case Form::kAdamW: return fused(at::_fused_adamw_, group, lr, eps_, group.decay, step);
      case Form::kAdamWHf: break;
    }
    // rate m / (sqrt(v) + eps) in the terms of LibTorch's kernel: numerator and eps are divided by
    // its correction of sqrt(v).
    const double c1 = 1 - std::pow(beta1_, static_cast<double>(step));
    const double root_c2 = std::sqrt(1 - std::pow(beta2_, static_cast<double>(step)));
    const double rate = correct_bias_ ? lr : lr * c1 / root_c2;
    fused(at::_fused_adamw_, group, rate, eps_ / root_c2, 0, step);
    if (group.decay > 0) at::_foreach_mul_(group.parameters, 1 - lr * group.decay);
  }

  using Kernel = void (*)(at::TensorList, at::TensorList, at::TensorList, at::TensorList,
                          at::TensorList, at::TensorList, double, double, double, double, double,
                          bool, bool, const std::optional<at::Tensor>&,
                          const std::optional<at::Tensor>&);
  void fused(Kernel kernel, Group& group, double lr, double eps, double decay, int64_t step) {
    const at::Tensor number =
        at::full({}, static_cast<double>(step), group.parameters[0].options().dtype(at::kFloat));
    const std::vector<at::Tensor> steps(group.parameters.size(), number);
    kernel(group.parameters, group.gradients, group.means, group.squares, {}, steps, lr, beta1_,
           beta2_, decay, eps, false, false, {}, {});
  }

  Form form_;
  double weight_decay_, beta1_, beta2_, eps_;
  bool correct_bias_;
  std::vector<std::vector<uint8_t>> moved_;  // [parameters][stretches]; empty = not known
};

template <Form form>
std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options,
                                     std::vector<Parameter> parameters) {
  return std::make_unique<Adam>(form, options, std::move(parameters));
}

}  // namespace

OptimizerEntry adam_optimizer() { return {"adam", make_adam<Form::kAdam>, {visit_keys<AdamKeys>}}; }

OptimizerEntry adamw_optimizer() {
  return {"adamw", make_adam<Form::kAdamW>, {visit_keys<AdamKeys>}};
}

OptimizerEntry adamw_hf_optimizer() {
  return {"adamw-hf", make_adam<Form::kAdamWHf>, {visit_keys<AdamKeys>, visit_keys<AdamWHfKeys>}};
}

}  // namespace contrastive::optim
