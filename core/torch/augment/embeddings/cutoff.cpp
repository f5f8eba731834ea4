#include "core/torch/augment/embeddings/cutoff.h"

#include <algorithm>
#include <vector>

namespace contrastive::augment {
namespace {

// Calls mark(i) for `count` distinct numbers below n (Floyd's method: one draw each and no list of
// all numbers). `marked` tells which ones were.
template <class Marked, class Mark>
void choose(int64_t n, int64_t count, Rng& rng, const Marked& marked, const Mark& mark) {
  for (int64_t last = n - count; last < n; ++last) {
    const auto drawn = static_cast<int64_t>(rng.below(static_cast<uint64_t>(last) + 1));
    mark(marked(drawn) ? last : drawn);
  }
}

std::vector<int64_t> choose(int64_t n, int64_t count, Rng& rng) {
  std::vector<bool> marked(static_cast<size_t>(n), false);
  std::vector<int64_t> chosen;
  choose(
      n, count, rng, [&](int64_t i) { return marked[static_cast<size_t>(i)]; },
      [&](int64_t i) { marked[static_cast<size_t>(i)] = true, chosen.push_back(i); });
  return chosen;
}

void cut_elements(int64_t n, int64_t count, Rng& rng, bool* cut) {
  // Uses its own marks: what an earlier cutoff of the same view chose does not count.
  std::vector<char> own(static_cast<size_t>(n), 0);
  choose(
      n, count, rng, [&](int64_t i) { return own[static_cast<size_t>(i)] != 0; },
      [&](int64_t i) { own[static_cast<size_t>(i)] = 1; });
  for (int64_t i = 0; i < n; ++i) cut[i] = cut[i] || own[static_cast<size_t>(i)] != 0;
}

}  // namespace

int64_t cutoff_count(int64_t n, double rate) {
  return static_cast<int64_t>(static_cast<double>(n) * rate);
}

void draw_cutoff(Cutoff kind, double rate, int64_t length, int64_t width, Rng& rng, bool* cut) {
  switch (kind) {
    case Cutoff::kTokens:
      for (const int64_t token : choose(length, cutoff_count(length, rate), rng))
        std::fill_n(cut + token * width, width, true);
      return;
    case Cutoff::kFeatures:
      for (const int64_t feature : choose(width, cutoff_count(width, rate), rng)) {
        for (int64_t token = 0; token < length; ++token) cut[token * width + feature] = true;
      }
      return;
    case Cutoff::kSpan: {
      const int64_t count = cutoff_count(length, rate);
      const auto first = static_cast<int64_t>(rng.below(static_cast<uint64_t>(length - count) + 1));
      std::fill_n(cut + first * width, count * width, true);
      return;
    }
    case Cutoff::kElements:
      cut_elements(length * width, cutoff_count(length * width, rate), rng, cut);
  }
}

}  // namespace contrastive::augment
