#include "core/eval/retrieval/similar_pairs.h"

#include <algorithm>
#include <limits>
#include <tuple>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/retrieval/top_k.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kHitBytes = int64_t{32} << 20;  // of the hits that are looked at together
constexpr int64_t kMaxRows = int64_t{1}
                             << 32;  // so that Paraphrases can store a pair of rows in 64 bits

bool better(const SimilarPair& a, const SimilarPair& b) {
  if (a.score != b.score) return a.score > b.score;
  return a.first != b.first ? a.first < b.first : a.second < b.second;
}

// Keeps the best `most` pairs of all that are added, each once: in a list that is cut down whenever
// it has grown to twice as many.
class BestPairs {
 public:
  explicit BestPairs(int64_t most) : most_(static_cast<size_t>(most)) {}
  void add(int64_t row, int64_t other, float score) {
    if (score < least_) return;
    pairs_.push_back({std::min(row, other), std::max(row, other), score});
    if (pairs_.size() >= 2 * most_ + 1024) cut();
  }
  std::vector<SimilarPair> take() {
    cut();
    std::sort(pairs_.begin(), pairs_.end(), better);
    return std::move(pairs_);
  }

 private:
  void cut() {
    // A pair that both rows have found: the scores of both directions may differ in the last bit,
    // the higher one stays.
    std::sort(pairs_.begin(), pairs_.end(), [](const SimilarPair& a, const SimilarPair& b) {
      return std::tuple(a.first, a.second, -a.score) < std::tuple(b.first, b.second, -b.score);
    });
    const auto same = [](const SimilarPair& a, const SimilarPair& b) {
      return a.first == b.first && a.second == b.second;
    };
    pairs_.erase(std::unique(pairs_.begin(), pairs_.end(), same), pairs_.end());
    if (pairs_.size() <= most_) return;
    std::nth_element(pairs_.begin(), pairs_.begin() + static_cast<int64_t>(most_) - 1, pairs_.end(),
                     better);
    pairs_.resize(most_);
    least_ = pairs_.back().score;
  }

  size_t most_;
  std::vector<SimilarPair> pairs_;
  float least_ = -std::numeric_limits<float>::infinity();
};

}  // namespace

std::vector<SimilarPair> most_similar_pairs(const float* x, int64_t n, int64_t d,
                                            const SimilarPairOptions& options) {
  check(options.top_k >= 1 && options.max_pairs >= 1, Status::kArgument, "top_k is ", options.top_k,
        " and max_pairs ", options.max_pairs, ": at least 1 is needed");
  Size(n, "rows to mine").at_most(kMaxRows);
  if (n < 2) return {};
  // One more than requested, because a row also finds itself; blocks of queries number their rows
  // from 0, so that top_k cannot leave it out.
  const int64_t k = std::min(options.top_k, n - 1) + 1;
  const int64_t block =
      std::clamp<int64_t>(kHitBytes / (k * static_cast<int64_t>(sizeof(int64_t) + sizeof(float))),
                          1, n);
  const retrieval::TopKOptions search{options.metric, k, false, options.cancel};
  std::vector<int64_t> hits(block * k);
  std::vector<float> scores(hits.size());
  BestPairs best(options.max_pairs);
  for (int64_t first = 0; first < n; first += block) {
    const int64_t count = std::min(block, n - first);
    retrieval::top_k(x + first * d, count, x, n, d, search, hits.data(), scores.data());
    for (int64_t i = 0; i < count; ++i) {
      int64_t others = 0;
      for (int64_t j = i * k; j < (i + 1) * k && others < k - 1; ++j) {
        if (hits[j] < 0 || hits[j] == first + i) continue;
        ++others;
        if (scores[j] >= options.min_score) best.add(first + i, hits[j], scores[j]);
      }
    }
  }
  return best.take();
}

}  // namespace contrastive::eval
