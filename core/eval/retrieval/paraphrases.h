// Paraphrase mining: the most similar pairs among n texts, and how many of them are paraphrases.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_set>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/eval/retrieval/binary_metrics.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

struct MinedPair {
  int64_t first = 0, second = 0;  // rows, first < second
  float score = 0;
};

struct MiningOptions {
  retrieval::Metric metric = retrieval::Metric::kCosine;
  int64_t top_k = 100;         // each row's nearest others
  int64_t max_pairs = 500000;  // and of all these pairs, the most similar ones
  double min_score = -1e9;     // and of these, the ones that reach it
  const Cancel* cancel = nullptr;
};

// Exact search among rows, each pair once, the most similar first (then by rows). x: [n, d]. Memory beside x and the result: below 300 MB and 150
// bytes for each of max_pairs, whatever n is. kLimit above 2^32 rows.
std::vector<MinedPair> mine_pairs(const float* x, int64_t n, int64_t d, const MiningOptions& options);

// Which pairs of texts are paraphrases: the pairs that were added, or, `transitive`, those that a chain of such pairs joins.
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
  mutable std::vector<int64_t> parents_;  // of a forest with a tree for each chain; paths are shortened while they are walked
};

struct ParaphraseData {
  std::vector<std::string> texts;
  Paraphrases paraphrases{0};
};

// A file of "label TAB text TAB text" lines (label 1: paraphrases): the texts are all that occur, each once.
ParaphraseData read_paraphrase_pairs(const std::string& path, bool transitive);
// sentence-transformers' layout: "id TAB text" lines and "id TAB id" lines, each with or without a header line ("id" or "qid"; "id1 TAB id2" or
// "qid1 TAB qid2").
// kFormat with file and line for an id used twice; kNotFound for one that no text has.
ParaphraseData read_paraphrase_files(const std::string& texts, const std::string& duplicates, bool transitive);

struct ParaphrasesReport {
  int64_t texts = 0;
  int64_t paraphrases = 0;  // pairs that are to be found
  int64_t pairs = 0;        // pairs that were mined
  BestF1 best;              // pairs that were not mined count as missed
  Json to_json() const;  // {"texts", "paraphrases", "pairs", "average_precision", "f1", "precision", "recall", "threshold"}
};

// kFormat where no pair is a paraphrase, for then there is nothing to find.
ParaphrasesReport evaluate_paraphrases(const ParaphraseData& data, const TextEncoder& encoder, const MiningOptions& options);

}  // namespace contrastive::eval
