// Pair classification: does the similarity of two texts show whether they belong together
// (paraphrases, duplicate questions)?
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/json.h"
#include "core/eval/retrieval/binary_metrics.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

struct LabelledPairs {
  std::vector<bool> positive;
  std::vector<std::string> first, second;
};

// A file of lines "label TAB text TAB text", label 0 or 1. kFormat with file and line for another
// label or number of columns.
LabelledPairs read_labelled_pairs(const std::string& path);

struct PairsReport {
  struct OfMetric {
    std::string name;  // of the similarity; distances are negated, their thresholds too
    BestAccuracy accuracy;
    BestF1 f1;
    double matthews = 0;  // at the threshold of the best F1; NaN if F1 is not defined
  };
  int64_t pairs = 0;
  int64_t positives = 0;
  std::vector<OfMetric> metrics;  // one for each similarity, in the order of metric_names()

  // {"pairs", "positives", "cosine": {"accuracy", "accuracy_threshold", "f1", "f1_threshold",
  // "precision", "recall", "average_precision", "mcc"}, "dot": {...}, "euclidean": {...},
  // "manhattan": {...}}; NaN is null.
  Json to_json() const;
};

// Each distinct text is encoded once.
PairsReport evaluate_pairs(const LabelledPairs& pairs, const TextEncoder& encoder);

// The similarities of rows of `embeddings` ([*, d]), pair by pair.
std::vector<float> pair_similarities(const std::vector<float>& embeddings, int64_t d,
                                     const std::vector<std::pair<int64_t, int64_t>>& pairs,
                                     retrieval::Metric metric);

}  // namespace contrastive::eval
