// Semantic textual similarity: how well the similarities of a model rank pairs of sentences that people have scored (methods.md 8.1 to 8.3).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/eval/text_encoder.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

// One file: pairs that are correlated on their own.
struct StsSubset {
  std::string name;  // of the file, without .tsv
  std::vector<double> gold;
  std::vector<std::string> first, second;
  int64_t unscored = 0;  // rows with an empty score, left out
};

// A file of lines "score TAB sentence TAB sentence", or a folder of such files (*.tsv), in the order of their names. A sentence may be empty.
// kNotFound, kIo, kFormat with file and line: a score that is no number, another number of columns, no scored pair.
std::vector<StsSubset> read_sts(const std::string& path);

// Pearson and Spearman, in [-1, 1]; NaN where one is not defined.
struct Correlation {
  double spearman = 0;
  double pearson = 0;
};

struct StsReport {
  struct Subset {
    std::string name;
    int64_t pairs = 0;
    int64_t unscored = 0;
    Correlation correlation;
  };
  Correlation all;    // over the pairs of all subsets together
  Correlation mean;   // plain mean of the subsets' values
  Correlation wmean;  // their mean weighted by pairs
  std::vector<Subset> subsets;

  // {"spearman": {"all", "mean", "wmean"}, "pearson": {...}, "subsets": {name: {"pairs", "unscored", "spearman", "pearson"}}}; NaN is null.
  Json to_json() const;
};

// Encodes each distinct text once. Subsets with an undefined correlation (constant gold or predictions) are reported as such with a warning,
// and left out of the means.
StsReport evaluate_sts(const std::vector<StsSubset>& subsets, const TextEncoder& encoder, retrieval::Metric metric);

// The aggregation alone: one list of predictions for each subset's pairs.
StsReport correlate_sts(const std::vector<StsSubset>& subsets, const std::vector<std::vector<double>>& predictions);

}  // namespace contrastive::eval
