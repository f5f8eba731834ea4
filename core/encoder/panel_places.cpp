#include "core/encoder/panel_places.h"

#include <algorithm>
#include <cstdlib>

#include "core/encoder/relative_bias.h"
#include "core/encoder/rotary.h"

namespace contrastive::encoder {

PanelPlaces::PanelPlaces(const Architecture& a, const float* relative_bias,
                         const PackedTokens& tokens, int64_t lanes)
    : a_(a), lanes_(lanes) {
  int64_t longest = 0;
  for (int64_t i = 0; i < tokens.texts; ++i) longest = std::max(longest, tokens.length(i));
  margin_ = longest + lanes;
  for (const bool local : {false, true}) {
    if (local && a.local.empty()) break;
    if (a.rotary_base > 0)
      turns_[local] = turns(local && a.local_rotary_base > 0 ? a.local_rotary_base : a.rotary_base,
                            tokens, longest);
    biases_[local] = distance_bias(local ? a.window : 0, relative_bias);
  }
  bias_stride_ = a.relative_bias == RelativeBias::kNone ? 0 : 2 * margin_ + 1;
}

void PanelPlaces::rotate(float* x, int64_t stride, int64_t panels, int64_t layer) const {
  const std::vector<float>& turns = turns_[a_.is_local(layer)];
  if (turns.empty()) return;
  const int64_t half = a_.width_of_head() / 2 * lanes_;
  for (int64_t panel = 0; panel < panels; ++panel) {
    float* a = x + panel * stride;
    float* b = a + half;
    const float* cosines = turns.data() + panel * 2 * half;
    const float* sines = cosines + half;
    for (int64_t i = 0; i < half; ++i) {
      const float first = a[i], second = b[i];
      a[i] = first * cosines[i] - second * sines[i];
      b[i] = second * cosines[i] + first * sines[i];
    }
  }
}

const float* PanelPlaces::bias(int64_t layer) const {
  const std::vector<float>& bias = biases_[a_.is_local(layer)];
  return bias.empty() ? nullptr : bias.data() + margin_;
}

std::vector<float> PanelPlaces::turns(double base, const PackedTokens& tokens,
                                      int64_t longest) const {
  const Rotation table = rotation(a_, base, longest);
  const int64_t pairs = a_.width_of_head() / 2, panels = (tokens.tokens() + lanes_ - 1) / lanes_;
  std::vector<float> all(static_cast<size_t>(panels * 2 * pairs * lanes_));
  const std::vector<int32_t> own = places(tokens);
  for (int64_t token = 0; token < tokens.tokens(); ++token) {
    float* to = all.data() + token / lanes_ * 2 * pairs * lanes_ + token % lanes_;
    const int64_t from = own[static_cast<size_t>(token)] * pairs;
    for (int64_t j = 0; j < pairs; ++j) {
      to[j * lanes_] = table.cosines[static_cast<size_t>(from + j)];
      to[(pairs + j) * lanes_] = table.sines[static_cast<size_t>(from + j)];
    }
  }
  return all;
}

std::vector<float> PanelPlaces::distance_bias(int64_t window, const float* table) const {
  constexpr float kUnseen = -1e30f;  // its exponential is practically 0
  const bool by_head = a_.relative_bias != RelativeBias::kNone;
  if (!by_head && window == 0 && !a_.causal) return {};
  const int64_t heads = by_head ? a_.num_attention_heads : 1, width = 2 * margin_ + 1;
  std::vector<float> all(static_cast<size_t>(heads * width));
  const std::vector<float> slopes =
      a_.relative_bias == RelativeBias::kAlibi ? alibi_slopes(heads) : std::vector<float>();
  for (int64_t i = 0; i < width; ++i) {
    const int64_t distance = margin_ - i;  // key - query
    const int64_t bucket =
        a_.relative_bias == RelativeBias::kBuckets
            ? distance_bucket(distance, a_.relative_buckets, a_.relative_distance)
            : 0;
    const bool unseen = (window > 0 && std::abs(distance) > window) || (a_.causal && distance > 0);
    for (int64_t head = 0; head < heads; ++head) {
      float& bias = all[static_cast<size_t>(head * width + i)];
      if (unseen) bias = kUnseen;
      else if (a_.relative_bias == RelativeBias::kBuckets) bias = table[bucket * heads + head];
      else if (a_.relative_bias == RelativeBias::kAlibi)
        bias = -slopes[static_cast<size_t>(head)] * static_cast<float>(std::abs(distance));
    }
  }
  return all;
}

}  // namespace contrastive::encoder
