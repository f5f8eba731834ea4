// Triplets: is a text nearer to its positive than to its negative?
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/eval/text_encoder.h"

namespace contrastive::eval {

struct Triplets {
  std::vector<std::string> anchors, positives, negatives;
};

// A file of lines "anchor TAB positive TAB negative". kFormat with file and line for another number
// of columns.
Triplets read_triplets(const std::string& path);

struct TripletsReport {
  int64_t triplets = 0;
  // By the name of the similarity: the share of triplets with similarity(anchor, positive) >
  // similarity(anchor, negative) + margin. Distances are negated, so that the margin means the same
  // for all. A tie is wrong.
  std::vector<std::pair<std::string, double>> accuracy;

  Json to_json() const;  // {"triplets", "accuracy": {"cosine", "dot", "euclidean", "manhattan"}}
};

// Each distinct text is encoded once. kNumeric if a similarity is NaN or infinite.
TripletsReport evaluate_triplets(const Triplets& triplets, const TextEncoder& encoder,
                                 double margin = 0);

}  // namespace contrastive::eval
