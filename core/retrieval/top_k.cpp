#include "core/retrieval/top_k.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/retrieval/non_finite.h"
#include "core/retrieval/score_rows.h"
#include "core/retrieval/zero_rows.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"

namespace contrastive::retrieval {
namespace {

constexpr int64_t kRowsPerFetch = 1020;  // a multiple of every tile's rows
constexpr int64_t kMaxBatch = 4096;      // queries searched for together: at most so many, and
constexpr int64_t kPanelBytes = int64_t{32} << 20;  // ... so much memory for them packed
constexpr int64_t kListBytes = int64_t{96} << 20;   // ... and for all threads' candidate lists
constexpr float kNone = -std::numeric_limits<float>::infinity();

struct Candidate {
  float score;
  int64_t index;
};

bool better(const Candidate& a, const Candidate& b) {
  return a.score > b.score || (a.score == b.score && a.index < b.index);
}

// Room for k candidates and as many more as come in between two prunings: an amortised constant
// cost for each, however the corpus is ordered.
int64_t list_capacity(int64_t k) { return k + std::clamp<int64_t>(k, 32, 4096); }

// One thread's candidates for each query of a batch. Rows must come in ascending order for each
// query: among equal scores the earlier then stays.
class CandidateLists {
 public:
  CandidateLists(const QueryPanels& panels, int64_t queries, int64_t k)
      : k_(k), capacity_(list_capacity(k)), sizes_(queries),
        thresholds_(panels.padded(), std::numeric_limits<float>::infinity()) {
    items_.reset(new Candidate[(Size(queries, "candidates") * capacity_).value()]);
    std::fill_n(thresholds_.begin(), queries, kNone);
  }

  const float* thresholds() const { return thresholds_.data(); }

  void add(int64_t query, const Candidate& candidate) {
    Candidate* list = begin(query);
    list[sizes_[query]++] = candidate;
    if (sizes_[query] < capacity_) return;
    std::nth_element(list, list + k_ - 1, list + capacity_, better);
    sizes_[query] = k_;
    thresholds_[query] = list[k_ - 1].score;
  }
  Candidate* begin(int64_t query) { return items_.get() + query * capacity_; }
  Candidate* end(int64_t query) { return begin(query) + sizes_[query]; }

 private:
  int64_t k_, capacity_;
  std::unique_ptr<Candidate[]> items_;  // [queries, capacity]
  std::vector<int64_t> sizes_;
  std::vector<float> thresholds_;
};

// What one thread does: takes runs of rows, in ascending order, until none is left.
void collect(const ScoreInput& input, int64_t n_corpus, int64_t first_query,
             const TopKOptions& options, std::atomic<int64_t>& next, CandidateLists& lists) {
  for (int64_t begin = next.fetch_add(kRowsPerFetch); begin < n_corpus;
       begin = next.fetch_add(kRowsPerFetch)) {
    throw_if_cancelled(options.cancel);
    score_rows(input, 0, input.panels.count(), begin, std::min(begin + kRowsPerFetch, n_corpus),
               [&](const Tile& tile) {
                 if (!tile.interesting) return;
                 for (int64_t i = 0; i < tile.rows; ++i) {
                   const float* row = tile.scores + i * tile.lanes;
                   for (int64_t lane = 0; lane < tile.queries; ++lane) {
                     const int64_t query = tile.first_query + lane;
                     if (!(row[lane] > lists.thresholds()[query])) continue;
                     if (options.exclude_same_index && first_query + query == tile.first_row + i)
                       continue;
                     lists.add(query, {row[lane], tile.first_row + i});
                   }
                 }
               });
  }
}

int64_t queries_at_once(int64_t k, int64_t d, int64_t threads) {
  const int64_t by_lists =
      kListBytes / (threads * list_capacity(k) * static_cast<int64_t>(sizeof(Candidate)));
  return std::clamp<int64_t>(std::min(by_lists, kPanelBytes / 4 / d), 1, kMaxBatch);
}

// The best k of all threads' candidates for one query, padded to k.
void write_result(std::vector<std::unique_ptr<CandidateLists>>& lists, int64_t query, int64_t k,
                  int64_t* indices, float* scores) {
  std::vector<Candidate> found;
  for (const auto& list : lists) {
    if (list != nullptr) found.insert(found.end(), list->begin(query), list->end(query));
  }
  const int64_t count = std::min(k, static_cast<int64_t>(found.size()));
  std::partial_sort(found.begin(), found.begin() + count, found.end(), better);
  for (int64_t i = 0; i < k; ++i) {
    indices[i] = i < count ? found[i].index : -1;
    scores[i] = i < count ? found[i].score : kNone;
  }
}

void check_input(const float* queries, int64_t n_queries, const float* corpus, int64_t n_corpus,
                 int64_t d, int64_t k, const void* indices, const void* scores) {
  check(n_queries >= 0 && n_corpus >= 0, Status::kArgument, "search of ", n_queries, " queries in ",
        n_corpus, " rows");
  check(d >= 1, Status::kArgument, "dimension is ", d, ": at least 1 is needed");
  check(k >= 1, Status::kArgument, "k is ", k, ": at least 1 is needed");
  (Size(n_queries, "queries") * d).at_most(int64_t{1} << 60);
  (Size(n_corpus, "corpus") * d).at_most(int64_t{1} << 60);
  (Size(n_queries, "results") * k).at_most(int64_t{1} << 60);
  check((queries != nullptr || n_queries == 0) && (corpus != nullptr || n_corpus == 0),
        Status::kArgument, "vectors are NULL");
  check((indices != nullptr && scores != nullptr) || n_queries == 0, Status::kArgument,
        "indices or scores is NULL");
}

}  // namespace

void top_k(const float* queries, int64_t n_queries, const float* corpus, int64_t n_corpus,
           int64_t d, const TopKOptions& options, int64_t* indices, float* scores) {
  check_input(queries, n_queries, corpus, n_corpus, d, options.k, indices, scores);
  warn_of_zero_rows(queries, n_queries, corpus, n_corpus, d, options.metric);
  const int64_t kept = std::clamp<int64_t>(options.k, 1, std::max<int64_t>(n_corpus, 1));
  const int64_t items = (n_corpus + kRowsPerFetch - 1) / kRowsPerFetch;
  const int most = static_cast<int>(std::clamp<int64_t>(items, 1, runtime::threads()));
  const int64_t batch = queries_at_once(kept, d, most);
  for (int64_t first = 0; first < n_queries; first += batch) {
    const int64_t count = std::min(batch, n_queries - first);
    const float* batch_queries = queries + first * d;
    const QueryPanels panels(batch_queries, count, d, options.metric);
    std::vector<std::unique_ptr<CandidateLists>> lists(most);
    std::atomic<int64_t> next{0};
    const auto search = [&](int64_t i) {
      if (next.load(std::memory_order_relaxed) >= n_corpus) return;
      lists[i] = std::make_unique<CandidateLists>(panels, count, kept);
      CandidateLists& own = *lists[i];
      collect({batch_queries, panels, corpus, d, options.metric, own.thresholds()}, n_corpus, first,
              options, next, own);
    };
    naming_non_finite({queries, n_queries, "queries"}, {corpus, n_corpus, "corpus"}, d,
                      [&] { runtime::parallel_for(most, search); });
    runtime::parallel_for(count, [&](int64_t query) {
      const int64_t at = (first + query) * options.k;
      write_result(lists, query, options.k, indices + at, scores + at);
    });
  }
}

}  // namespace contrastive::retrieval
