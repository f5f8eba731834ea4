// The nine tasks of GLUE (Wang et al., 2018) as data: labels, the columns of GLUE's own files, and
// the reported figures (core/torch/tasks/glue/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::eval {

// The figures of the predictions, and the score: Matthews' correlation; accuracy; accuracy and F1,
// with their mean as score; Pearson and Spearman correlation, with their mean as score.
enum class GlueMetric { kMatthews, kAccuracy, kAccuracyAndF1, kCorrelations };

// Columns of GLUE's own files, 0-based. Rows may be longer, never shorter than `least`.
struct GlueColumns {
  static constexpr int kLast = -1, kNone = -2;
  int label = 0;
  int first = 0;
  int second = kNone;
  int64_t least = 0;
  bool header = true;  // the first line names the columns
  // Shorter rows are left out instead of refused: QQP's files contain some.
  bool skips_short = false;
};

struct GlueDefinition {
  std::string name;                  // as in CLEAR's tables: "SST-2"
  std::vector<std::string> folders;  // possible names of its folder
  // Class 0, 1, ...; empty for a score on a scale (STS-B). Class 1 is the positive one for F1 and
  // Matthews.
  std::vector<std::string> labels;
  std::vector<std::string> dev_names;  // parts of the dev set: {""}, or {"_matched",
                                       // "_mismatched"}: dev_matched.tsv, ...
  GlueMetric metric = GlueMetric::kAccuracy;
  GlueColumns columns;
  bool averaged = true;  // counts in the average over tasks: all but WNLI

  bool pairs() const { return columns.second != GlueColumns::kNone; }
  bool regression() const { return labels.empty(); }
  int64_t outputs() const { return regression() ? 1 : static_cast<int64_t>(labels.size()); }
};

// In the order of CLEAR's tables, WNLI last.
const std::vector<GlueDefinition>& glue_definitions();
std::vector<std::string> glue_task_names();
// kArgument names the nearest one.
const GlueDefinition& find_glue_definition(const std::string& name);

}  // namespace contrastive::eval
