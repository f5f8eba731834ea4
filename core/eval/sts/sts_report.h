// The figures of semantic textual similarity: correlations of predictions with human scores, and
// their aggregation (core/eval/sts/README.md 1, 2).
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/eval/sts/sts_set.h"

namespace contrastive::eval {

// Pearson and Spearman, in [-1, 1]; NaN if not defined.
struct Correlation {
  double spearman = 0;
  double pearson = 0;
};

// How the subsets of a data set become one figure. Papers differ, and so do their figures.
enum class StsAggregate {
  kAll,    // one correlation over the pairs of all subsets (ConSERT, SG-OPT, SimCSE)
  kMean,   // plain mean of the subsets' correlations
  kWmean,  // their mean weighted by pairs (SentEval; with Pearson the official score of the Spanish
           // task of 2014)
};
const std::vector<std::pair<std::string, StsAggregate>>&
sts_aggregate_names();  // "all", "mean", "wmean"

// One data set.
struct StsReport {
  struct Subset {
    std::string name;
    int64_t pairs = 0;
    int64_t unscored = 0;
    Correlation correlation;
  };
  Correlation all, mean, wmean;
  std::vector<Subset> subsets;

  const Correlation& at(StsAggregate aggregate) const;
  // {"spearman": {"all", "mean", "wmean"}, "pearson": {...}, "subsets": {name: {"pairs",
  // "unscored", "spearman", "pearson"}}}; NaN is null.
  Json to_json() const;
};

// Several data sets and their average.
struct StsSuiteReport {
  std::vector<std::pair<std::string, StsReport>> sets;
  // Plain means over the sets for which the figure is defined; without subsets. With one set, its
  // own figures.
  StsReport average;

  // One set: its to_json(). Several: {"headline": {"spearman.<aggregate>": number}, "spearman":
  // averages, "pearson": averages, "sets": {name: ...}}.
  Json to_json(StsAggregate headline) const;
};

using SubsetScores =
    std::vector<std::vector<double>>;  // one list for each subset, a number for each of its pairs

// kMismatch if the predictions do not belong to the pairs. A subset without a correlation (constant
// gold or predictions) is left out of the means.
StsReport correlate_sts(const std::vector<StsSubset>& subsets, const SubsetScores& predictions);
StsSuiteReport correlate_sts_sets(
    const std::vector<StsSet>& sets,
    const SubsetScores& predictions);  // of all sets' subsets in order

// A line for each pair: set, subset, gold, prediction (with digits that read back as the same
// float) and both texts, separated by tabs. Tabs and line ends within a text become blanks.
// kMismatch if the predictions do not belong to the pairs.
std::string predictions_tsv(const std::vector<StsSet>& sets, const SubsetScores& predictions);

// The report of correlate_sts_sets() before there are predictions: every figure is NaN.
StsSuiteReport undefined_report(const std::vector<StsSet>& sets);

// Logs a warning for each subset and each set whose figures are not defined.
void warn_of_undefined(const StsSuiteReport& report);

}  // namespace contrastive::eval
