#include "core/torch/augment/tokens/spans.h"

#include <algorithm>
#include <cmath>

#include "core/base/sample.h"

namespace contrastive::augment {
namespace {

constexpr int kAttempts = 100;

int64_t rounded(double x) { return static_cast<int64_t>(std::nearbyint(x)); }

// Shrinking spans of one length to one point each turns the problem into a choice of points.
// Expanded again they are disjoint.
std::vector<TokenSpan> fixed_spans(int64_t n, const SpanOptions& options, Rng& rng) {
  const int64_t room = n - 2;
  const int64_t length =
      std::min(room, std::max<int64_t>(1, rounded(options.share * static_cast<double>(n))));
  const int64_t count = std::min(options.count, room / length);
  std::vector<TokenSpan> spans;
  for (const int64_t point : choose(room - count * (length - 1), count, rng)) {
    const int64_t begin = 1 + point + static_cast<int64_t>(spans.size()) * (length - 1);
    spans.push_back({begin, begin + length});
  }
  return spans;
}

bool meets(const TokenSpan& a, const TokenSpan& b) { return a.begin < b.end && b.begin < a.end; }

std::vector<TokenSpan> gaussian_spans(int64_t n, const SpanOptions& options, Rng& rng) {
  const int64_t last = n - 1;  // one past the last id that may change
  const auto mean = static_cast<double>(rounded(options.share * static_cast<double>(n)));
  const int64_t starts = std::max<int64_t>(1, last - static_cast<int64_t>(mean));
  std::vector<TokenSpan> spans;
  for (int64_t i = 0; i < options.count; ++i) {
    for (int attempt = 0; attempt < kAttempts; ++attempt) {
      const int64_t begin =
          1 + static_cast<int64_t>(rng.below(static_cast<uint64_t>(std::min(starts, last - 1))));
      int64_t length = -1;
      for (int tries = 0; tries < kAttempts && (length < 0 || length > last - begin); ++tries) {
        length = rounded(mean + options.deviation * rng.normal());
      }
      length = std::clamp<int64_t>(length, 0, last - begin);
      const TokenSpan span{begin, begin + length};
      if (std::any_of(spans.begin(), spans.end(),
                      [&](const TokenSpan& other) { return meets(span, other); }))
        continue;
      spans.push_back(span);
      break;
    }
  }
  std::sort(spans.begin(), spans.end(), [](const TokenSpan& a, const TokenSpan& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end < b.end;
  });
  return spans;
}

}  // namespace

std::vector<TokenSpan> sample_spans(int64_t n, const SpanOptions& options, Rng& rng) {
  if (n <= 2 || options.count <= 0) return {};
  return options.sampler == SpanSampler::kFixed ? fixed_spans(n, options, rng)
                                                : gaussian_spans(n, options, rng);
}

}  // namespace contrastive::augment
