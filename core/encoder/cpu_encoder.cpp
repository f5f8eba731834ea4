#include "core/encoder/cpu_encoder.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "core/base/error.h"
#include "core/encoder/inference.h"

namespace contrastive::encoder {
namespace {

// A thread's share of a layer must outweigh the barriers between the steps, which cost far more on
// a busy machine than on an idle one.
int worthwhile_threads(const Architecture& o, int64_t tokens, bool narrow, int most_threads) {
  const double kLeastShare = narrow ? 3e6 : 1e6;  // operations, about 10 us
  const auto width = static_cast<double>(o.hidden_size),
             inner = static_cast<double>(o.intermediate_size);
  const double of_layer = static_cast<double>(tokens) * 4 * width * (2 * width + inner);
  return static_cast<int>(
      std::clamp(of_layer / kLeastShare, 1.0, static_cast<double>(std::max(most_threads, 1))));
}

}  // namespace

void CpuEncoder::infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
                       const std::vector<const uint8_t*>& keeps, float* out,
                       int most_threads) const {
  check(keeps.size() == poolings.size(), Status::kInternal,
        "one list of kept tokens is needed for each pooling");
  const int64_t hidden = architecture().hidden_size,
                width = hidden * static_cast<int64_t>(poolings.size());
  std::vector<int64_t> wanted;
  for (const Pooling& pooling : poolings)
    wanted.insert(wanted.end(), pooling.layers.begin(), pooling.layers.end());
  std::sort(wanted.begin(), wanted.end());
  wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
  std::fill_n(out, tokens.texts * width, 0.0f);
  std::vector<float> reduced(static_cast<size_t>(tokens.texts * hidden));
  most_threads = worthwhile_threads(architecture(), tokens.tokens(), narrow_kernels() != nullptr,
                                    most_threads);
  const InferenceWeights& weights = view();
  // If only the first tokens of the last layer's states are needed, nothing else is computed after
  // its attention.
  bool first_will_do = true;
  for (size_t i = 0; i < poolings.size(); ++i) {
    const Pooling& pooling = poolings[i];
    const bool last = std::count(pooling.layers.begin(), pooling.layers.end(), wanted.back()) > 0;
    const bool first = pooling.reduce == Reduce::kClsPooler ||
                       (pooling.reduce == Reduce::kCls && keeps[i] == nullptr);
    first_will_do = first_will_do && (!last || first);
  }
  std::vector<int64_t> one_each(static_cast<size_t>(tokens.texts) + 1);
  std::iota(one_each.begin(), one_each.end(), int64_t{0});
  const StateSink sink = [&](int64_t layer, const float* states, bool first_only) {
    for (size_t i = 0; i < poolings.size(); ++i) {
      const Pooling& pooling = poolings[i];
      const auto uses = std::count(pooling.layers.begin(), pooling.layers.end(), layer);
      if (uses == 0) continue;
      const bool pooler = pooling.reduce == Reduce::kClsPooler;  // it uses the first token
      reduce_tokens(pooler ? Reduce::kCls : pooling.reduce, states, hidden,
                    first_only ? one_each.data() : tokens.offsets, tokens.texts,
                    first_only || pooler ? nullptr : keeps[i], reduced.data());
      const float share = static_cast<float>(uses) / static_cast<float>(pooling.layers.size());
      for (int64_t text = 0; text < tokens.texts; ++text) {
        float* vector = out + text * width + static_cast<int64_t>(i) * hidden;
        for (int64_t h = 0; h < hidden; ++h)
          vector[h] += share * reduced[static_cast<size_t>(text * hidden + h)];
      }
    }
  };
  if (narrow_kernels() == nullptr)
    run_on_cpu(architecture(), weights, tokens, wanted, first_will_do, most_threads, sink);
  else
    run_on_cpu(architecture(), weights, tokens, wanted, first_will_do, most_threads, sink,
               *narrow_kernels());
  for (size_t i = 0; i < poolings.size(); ++i) {
    if (poolings[i].reduce != Reduce::kClsPooler) continue;
    check(has_pooler(), Status::kArgument,
          "pooling cls-pooler: the checkpoint has no pooler.dense; use cls or mean");
    std::vector<float> rows(reduced.size());
    const float* cls = out + static_cast<int64_t>(i) * hidden;
    for (int64_t text = 0; text < tokens.texts; ++text)
      std::copy_n(cls + text * width, hidden, rows.data() + text * hidden);
    dense_rows(rows.data(), tokens.texts, weights.pooler, hidden, hidden, reduced.data());
    for (size_t r = 0; r < reduced.size(); ++r) {
      out[static_cast<int64_t>(r) / hidden * width + static_cast<int64_t>(i) * hidden +
          static_cast<int64_t>(r) % hidden] =
          static_cast<float>(std::tanh(static_cast<double>(reduced[r])));  // as on every system
    }
  }
}

}  // namespace contrastive::encoder
