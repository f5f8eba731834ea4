#include "core/nn/dropout.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/zeros.h>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

namespace {

// Positions and sites are far below these bounds (a site has 3 per layer, a position is below the encoder's table).
constexpr int kPositionBits = 20;
constexpr int kSiteBits = 12;

Rng stream(const Dropout& dropout, int64_t text, int64_t site, int64_t position) {
  const uint64_t place = (static_cast<uint64_t>(site) << kPositionBits) | static_cast<uint64_t>(position);
  return Rng(dropout.seed, Purpose::kDropout, (dropout.epoch << (kPositionBits + kSiteBits)) | place, dropout.examples[static_cast<size_t>(text)]);
}

void fill(Rng& rng, float* out, int64_t count, double probability) {
  const auto threshold = static_cast<uint32_t>(probability * 4294967296.0);
  const float kept = static_cast<float>(1.0 / (1.0 - probability));
  for (int64_t i = 0; i < count; ++i) out[i] = rng.next32() >= threshold ? kept : 0.0f;
}

int64_t checked_texts(const std::vector<int64_t>& offsets, const Dropout& dropout, double probability) {
  const auto texts = static_cast<int64_t>(offsets.size()) - 1;
  check(probability > 0 && probability < 1, Status::kArgument, "dropout probability is ", probability, ": it lies in [0, 1)");
  TORCH_CHECK(static_cast<int64_t>(dropout.examples.size()) == texts, "dropout needs one example number for each text");
  return texts;
}

}  // namespace

at::Tensor drop_hidden(const at::Tensor& x, const std::vector<int64_t>& offsets, const Dropout& dropout, int64_t site) {
  if (dropout.hidden == 0) return x;
  const int64_t texts = checked_texts(offsets, dropout, dropout.hidden);
  const int64_t width = x.size(1);
  at::Tensor factors = at::empty({x.size(0), width}, at::kFloat);
  float* out = factors.mutable_data_ptr<float>();
  runtime::parallel_for(texts, [&](int64_t text) {
    const auto begin = offsets[static_cast<size_t>(text)], end = offsets[static_cast<size_t>(text) + 1];
    for (int64_t t = begin; t < end; ++t) {
      Rng rng = stream(dropout, text, site, t - begin);
      fill(rng, out + t * width, width, dropout.hidden);
    }
  });
  return x * factors.to(x.device(), x.scalar_type());
}

at::Tensor attention_factors(const std::vector<int64_t>& offsets, int64_t heads, int64_t longest, const Dropout& dropout, int64_t site) {
  const int64_t texts = checked_texts(offsets, dropout, dropout.attention);
  at::Tensor factors = at::zeros({texts, heads, longest, longest}, at::kFloat);
  float* out = factors.mutable_data_ptr<float>();
  runtime::parallel_for(texts, [&](int64_t text) {
    const int64_t length = offsets[static_cast<size_t>(text) + 1] - offsets[static_cast<size_t>(text)];
    for (int64_t query = 0; query < length; ++query) {
      // One stream for each query position, heads in turn: it depends on the text's own length, never on the batch's longest.
      Rng rng = stream(dropout, text, site, query);
      for (int64_t head = 0; head < heads; ++head) {
        fill(rng, out + ((text * heads + head) * longest + query) * longest, length, dropout.attention);
      }
    }
  });
  return factors;
}

}  // namespace contrastive::nn
