#include "core/torch/nn/torch_pooling.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/segment_reduce.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/base/error.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {
namespace {

at::Tensor max_of_texts(const at::Tensor& states, const std::vector<int64_t>& offsets,
                        const uint8_t* keep) {
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  const at::Tensor owner = at::empty({states.size(0)}, at::kLong),
                   dropped = at::empty({states.size(0), 1}, at::kBool);
  const at::Tensor empty_text = at::full({texts, 1}, true, at::kBool);
  for (int64_t text = 0; text < texts; ++text) {
    for (int64_t t = offsets[static_cast<size_t>(text)]; t < offsets[static_cast<size_t>(text) + 1];
         ++t) {
      const bool kept = keep == nullptr || keep[t] != 0;
      owner.mutable_data_ptr<int64_t>()[t] = text;
      dropped.mutable_data_ptr<bool>()[t] = !kept;
      if (kept) empty_text.mutable_data_ptr<bool>()[text] = false;
    }
  }
  const c10::Device device = states.device();
  const at::Tensor x = states.to(at::kFloat).masked_fill(dropped.to(device), -1e9);
  const at::Tensor index = owner.to(device).unsqueeze(1).expand_as(x);
  const at::Tensor start = at::full({texts, states.size(1)}, -1e9, x.options());
  return start.scatter_reduce(0, index, x, "amax").masked_fill(empty_text.to(device), 0.0);
}

// Sums of each text's rows, each row times its token's weight, with one thread for each text.
// LibTorch's index_add() would sort in a team of OpenMP, which ends the process if memory is short.
struct WeightedSumsBackward : torch::autograd::Node {
  std::string name() const override { return "WeightedSumsBackward"; }
  torch::autograd::variable_list apply(torch::autograd::variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "pooling has no second derivative");
    if (!grads[0].defined()) return torch::autograd::variable_list(1);
    const at::Tensor given = grads[0].contiguous(),
                     result = tensors::recycled({offsets.back(), given.size(1)});
    const float* const from = given.const_data_ptr<float>();
    float* const to = result.mutable_data_ptr<float>();
    runtime::parallel_for(given.size(0), [&, width = given.size(1)](int64_t text) {
      for (int64_t t = offsets[static_cast<size_t>(text)];
           t < offsets[static_cast<size_t>(text) + 1]; ++t) {
        for (int64_t i = 0; i < width; ++i)
          to[t * width + i] = weights[static_cast<size_t>(t)] * from[text * width + i];
      }
    });
    return {result};
  }

  std::vector<int64_t> offsets;
  std::vector<float> weights;  // of each token
};

at::Tensor weighted_sums(const at::Tensor& states, const std::vector<int64_t>& offsets,
                         std::vector<float> weights) {
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  at::Tensor sums;
  {
    const at::NoGradGuard no_grad;
    const at::Tensor rows = states.contiguous();
    sums = at::zeros({texts, rows.size(1)}, at::kFloat);
    const float* const from = rows.const_data_ptr<float>();
    float* const to = sums.mutable_data_ptr<float>();
    runtime::parallel_for(texts, [&, width = rows.size(1)](int64_t text) {
      for (int64_t t = offsets[static_cast<size_t>(text)];
           t < offsets[static_cast<size_t>(text) + 1]; ++t) {
        for (int64_t i = 0; i < width; ++i)
          to[text * width + i] += weights[static_cast<size_t>(t)] * from[t * width + i];
      }
    });
  }
  if (!torch::autograd::compute_requires_grad(states)) return sums;
  const auto node = std::make_shared<WeightedSumsBackward>();
  node->offsets = offsets;
  node->weights = std::move(weights);
  node->set_next_edges(torch::autograd::collect_next_edges(states));
  torch::autograd::set_history(sums, node);
  return sums;
}

}  // namespace

at::Tensor reduce_tokens(Reduce reduce, const at::Tensor& states,
                         const std::vector<int64_t>& offsets, const uint8_t* keep) {
  TORCH_CHECK(reduce != Reduce::kClsPooler, "the pooler's dense layer is applied by the caller");
  if (reduce == Reduce::kMax) return max_of_texts(states, offsets, keep);
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  std::vector<float> weights = encoder::token_weights(reduce, offsets.data(), texts, keep);
  if (states.is_cpu()) return weighted_sums(states.to(at::kFloat), offsets, std::move(weights));
  const at::Tensor factor = at::empty({states.size(0), 1}, at::kFloat),
                   ends = at::empty({texts + 1}, at::kLong);
  std::copy(weights.begin(), weights.end(), factor.mutable_data_ptr<float>());
  std::copy(offsets.begin(), offsets.end(), ends.mutable_data_ptr<int64_t>());
  const c10::Device device = states.device();
  // On a GPU index_add() adds in the order in which its threads run.
  return at::segment_reduce(states.to(at::kFloat) * factor.to(device), "sum", std::nullopt,
                            std::nullopt, ends.to(device), 0, true, 0);
}

}  // namespace contrastive::nn
