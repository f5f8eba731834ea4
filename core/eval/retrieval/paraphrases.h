// Paraphrase mining: how many of the most similar pairs among n texts are paraphrases.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/json.h"
#include "core/eval/retrieval/binary_metrics.h"
#include "core/eval/retrieval/similar_pairs.h"
#include "core/eval/text_encoder.h"

namespace contrastive::eval {

// Which pairs of texts are paraphrases: the pairs that were added, or, with `transitive`, all pairs
// that a chain of such pairs connects.
class Paraphrases {
 public:
  explicit Paraphrases(int64_t texts, bool transitive = false);
  void add(int64_t a, int64_t b);  // a text and itself: ignored
  bool contains(int64_t a, int64_t b) const;
  int64_t count() const;

 private:
  int64_t root(int64_t text) const;

  bool transitive_;
  std::unordered_set<uint64_t> pairs_;
  // a union-find forest with a tree for each chain; lookups shorten the paths.
  mutable std::vector<int64_t> parents_;
};

struct ParaphraseData {
  std::vector<std::string> texts;
  Paraphrases paraphrases{0};
};

struct ParaphrasesReport {
  int64_t texts = 0;
  int64_t paraphrases = 0;  // number of pairs to find
  int64_t pairs = 0;        // pairs that were mined
  BestF1 best;              // pairs that were not mined count as missed
  Json to_json() const;     // {"texts", "paraphrases", "pairs", "average_precision", "f1",
                            // "precision", "recall", "threshold"}
};

// kFormat if no pair is a paraphrase, because then there is nothing to find.
void check_paraphrases(const ParaphraseData& data);

// check_paraphrases, then the search. kNumeric if an embedding is NaN or infinite.
ParaphrasesReport evaluate_paraphrases(const ParaphraseData& data, const TextEncoder& encoder,
                                       const SimilarPairOptions& options);

}  // namespace contrastive::eval
