#include "core/nn/pooling.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/full.h>
#include <ATen/ops/segment_reduce.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/base/error.h"

namespace contrastive::nn {
namespace {

at::Tensor max_of_texts(const at::Tensor& states, const std::vector<int64_t>& offsets, const uint8_t* keep) {
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  const at::Tensor owner = at::empty({states.size(0)}, at::kLong), dropped = at::empty({states.size(0), 1}, at::kBool);
  const at::Tensor empty_text = at::full({texts, 1}, true, at::kBool);
  for (int64_t text = 0; text < texts; ++text) {
    for (int64_t t = offsets[static_cast<size_t>(text)]; t < offsets[static_cast<size_t>(text) + 1]; ++t) {
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

}  // namespace

at::Tensor reduce_tokens(Reduce reduce, const at::Tensor& states, const std::vector<int64_t>& offsets, const uint8_t* keep) {
  TORCH_CHECK(reduce != Reduce::kClsPooler, "the pooler's dense layer is applied by the caller");
  if (reduce == Reduce::kMax) return max_of_texts(states, offsets, keep);
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  const std::vector<float> weights = encoder::token_weights(reduce, offsets.data(), texts, keep);
  const at::Tensor factor = at::empty({states.size(0), 1}, at::kFloat);
  std::copy(weights.begin(), weights.end(), factor.mutable_data_ptr<float>());
  const c10::Device device = states.device();
  const at::Tensor weighted = states.to(at::kFloat) * factor.to(device);
  if (device.is_cuda()) {  // there index_add adds in whatever order its threads come
    const at::Tensor ends = at::empty({texts + 1}, at::kLong);
    std::copy(offsets.begin(), offsets.end(), ends.mutable_data_ptr<int64_t>());
    return at::segment_reduce(weighted, "sum", std::nullopt, std::nullopt, ends.to(device), 0, true, 0);
  }
  const at::Tensor owner = at::empty({states.size(0)}, at::kLong);
  for (int64_t text = 0; text < texts; ++text) {
    std::fill(owner.mutable_data_ptr<int64_t>() + offsets[static_cast<size_t>(text)],
              owner.mutable_data_ptr<int64_t>() + offsets[static_cast<size_t>(text) + 1], text);
  }
  return at::zeros({texts, states.size(1)}, weighted.options()).index_add(0, owner, weighted);
}

}  // namespace contrastive::nn
