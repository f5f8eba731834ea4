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
#include "core/torch/optim/optimizers.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::optim {
namespace {

using cpu::AdamTask;

constexpr int64_t kStretch = 128;           // elements that are skipped together
constexpr int64_t kPiece = 128 * kStretch;  // elements that one thread takes at a time

class Adam : public Optimizer {
 public:
  Adam(const OptimizerOptions& options, std::vector<Parameter> parameters)
      : Optimizer(std::move(parameters), {"mean", "square"}), options_(options) {}

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
    const double decay = decays ? options_.weight_decay : 0,
                 c1 = 1 - std::pow(options_.beta1, static_cast<double>(step));
    const double root_c2 = std::sqrt(1 - std::pow(options_.beta2, static_cast<double>(step)));
    const bool hf = options_.kind == OptimizerKind::kAdamWHf;
    AdamTask task;
    task.gradient_scale = static_cast<float>(gradient_scale);
    task.beta1 = static_cast<float>(options_.beta1);
    task.beta2 = static_cast<float>(options_.beta2);
    task.fresh1 = static_cast<float>(1 - options_.beta1);
    task.fresh2 = static_cast<float>(1 - options_.beta2);
    task.eps = static_cast<float>(options_.eps);
    task.rate = static_cast<float>(!hf ? lr / c1 : options_.correct_bias ? lr * root_c2 / c1 : lr);
    task.root_scale = static_cast<float>(hf ? 1 : 1 / root_c2);
    if (options_.kind == OptimizerKind::kAdam) task.l2 = static_cast<float>(decay);
    if (options_.kind == OptimizerKind::kAdamW) task.before = static_cast<float>(1 - lr * decay);
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
    const double decay = item.parameter->decay ? options_.weight_decay : 0;
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
    switch (options_.kind) {
      case OptimizerKind::kAdam:
        return fused(at::_fused_adam_, group, lr, options_.eps, group.decay, step);
      case OptimizerKind::kAdamW:
        return fused(at::_fused_adamw_, group, lr, options_.eps, group.decay, step);
      case OptimizerKind::kAdamWHf: break;
      case OptimizerKind::kLars:
      case OptimizerKind::kSgd:
      case OptimizerKind::kRmsProp:
        TORCH_CHECK(false, "not one of Adam's kin: ", static_cast<int>(options_.kind));
    }
    // rate m / (sqrt(v) + eps) in the terms of LibTorch's kernel: numerator and eps are divided by
    // its correction of sqrt(v).
    const double c1 = 1 - std::pow(options_.beta1, static_cast<double>(step));
    const double root_c2 = std::sqrt(1 - std::pow(options_.beta2, static_cast<double>(step)));
    const double rate = options_.correct_bias ? lr : lr * c1 / root_c2;
    fused(at::_fused_adamw_, group, rate, options_.eps / root_c2, 0, step);
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
    kernel(group.parameters, group.gradients, group.means, group.squares, {}, steps, lr,
           options_.beta1, options_.beta2, decay, eps, false, false, {}, {});
  }

  OptimizerOptions options_;
  std::vector<std::vector<uint8_t>> moved_;  // [parameters][stretches]; empty = not known
};

}  // namespace

std::unique_ptr<Optimizer> make_adam(const OptimizerOptions& options,
                                     std::vector<Parameter> parameters) {
  return std::make_unique<Adam>(options, std::move(parameters));
}

}  // namespace contrastive::optim
