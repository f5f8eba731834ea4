#include "core/torch/nn/device_dropout.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include <algorithm>

#include "core/torch/tensors/device_program.h"

namespace contrastive::nn {

namespace {

tensors::DeviceProgram& program() {
  static const char kPtx[] =
#include "core/torch/nn/device_dropout_ptx.inl"
      ;
  static auto* program =
      new tensors::DeviceProgram("dropout", kPtx, {"draw_rows", "draw_attention"});
  return *program;
}

enum Kernel : size_t { kDrawRows, kDrawAttention };  // in that order

constexpr int64_t kDraws = 4;  // of each thread
int64_t threads_of(int64_t tokens, int64_t draws) {
  return tokens * ((draws + kDraws - 1) / kDraws);
}

}  // namespace

bool DeviceTokens::draw_on(const c10::Device& device) { return program().runs_on(device); }

DeviceTokens::DeviceTokens(const std::vector<int64_t>& offsets,
                           const std::vector<uint64_t>& examples, const c10::Device& device)
    : texts_(static_cast<int64_t>(offsets.size()) - 1) {
  TORCH_CHECK(static_cast<int64_t>(examples.size()) == texts_,
              "dropout needs one example number for each text");
  const int64_t count = offsets.back();
  const at::Tensor tokens = at::empty({4, count}, at::kLong);
  int64_t* const example = tokens.mutable_data_ptr<int64_t>();
  int64_t *const place = example + count, *const text = place + count, *const length = text + count;
  for (int64_t i = 0; i < texts_; ++i) {
    const int64_t begin = offsets[static_cast<size_t>(i)],
                  end = offsets[static_cast<size_t>(i) + 1];
    padded_ = padded_ || (i > 0 && end - begin != longest_);
    longest_ = std::max(longest_, end - begin);
    for (int64_t t = begin; t < end; ++t) {
      example[t] = static_cast<int64_t>(examples[static_cast<size_t>(i)]);
      place[t] = t - begin;
      text[t] = i;
      length[t] = end - begin;
    }
  }
  tokens_ = tokens.to(device);
}

at::Tensor DeviceTokens::rows(const MaskStream& stream, int64_t width) const {
  const int64_t count = tokens_.size(1);
  at::Tensor kept = at::empty({count, width}, tokens_.options().dtype(at::kBool));
  program().start(tokens_.device(), kDrawRows, threads_of(count, width), kept.mutable_data_ptr(),
                  tokens_.const_data_ptr(), count, width, stream.seed, stream.epoch,
                  stream.threshold);
  return kept;
}

at::Tensor DeviceTokens::attention(const MaskStream& stream, int64_t heads) const {
  const int64_t count = tokens_.size(1);
  const std::vector<int64_t> sizes{texts_, heads, longest_, longest_};
  const at::TensorOptions options = tokens_.options().dtype(at::kBool);
  at::Tensor kept = padded_ ? at::zeros(sizes, options) : at::empty(sizes, options);
  program().start(tokens_.device(), kDrawAttention, threads_of(count, heads * longest_),
                  kept.mutable_data_ptr(), tokens_.const_data_ptr(), count, heads, longest_,
                  stream.seed, stream.epoch, stream.threshold);
  return kept;
}

}  // namespace contrastive::nn
