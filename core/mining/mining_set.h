// The input of mining: distinct queries with their positives, and distinct documents, from pairs
// (anchor, positive) and a corpus.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/cancel.h"
#include "core/data/dataset.h"
#include "core/mining/text_table.h"

namespace contrastive::mining {

struct MiningSet {
  explicit MiningSet(const TextTable::Read& read) : queries(read), documents(read) {}

  TextTable queries;
  TextTable documents;  // the corpus, then the positives that it does not contain
  std::vector<std::vector<int64_t>>
      positives;               // [queries] distinct documents, in the order of the pairs
  int64_t most_positives = 0;  // lines of the query that has the most, including repeated ones
  int64_t pairs = 0;           // pairs that were read, without those left out
  // Counts of what was found while reading.
  int64_t empty_pairs = 0,
          empty_documents = 0;  // left out for an empty text, here or by the dataset itself
  int64_t repeated_pairs = 0, repeated_documents = 0;  // repetitions of the same bytes
  int64_t alike_documents =
      0;                      // distinct ones that are the text of another once both are normalised
  int64_t own_negatives = 0;  // pairs that came with negatives, which are ignored
};

// `corpus`: texts, or null: only the positives. Both must live as long as the result. kArgument if
// `pairs` are not pairs, if the corpus has pairs, and if no pair or no second document is left.
std::unique_ptr<MiningSet> read_mining_set(const data::Dataset& pairs, const data::Dataset* corpus,
                                           const Cancel* cancel);

// kArgument, with file and line of example `index`, and how the corpus is read as texts.
[[noreturn]] void refuse_corpus_of_pairs(const data::Dataset& corpus, int64_t index);

}  // namespace contrastive::mining
