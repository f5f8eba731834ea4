// The nine tasks of GLUE (Wang et al., 2018) as data: labels, where the columns of GLUE's own files
// are, and which figures are reported (core/torch/tasks/glue/README.md).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::eval {

// What is computed of the predictions, and what its score is: Matthews' correlation; accuracy;
// accuracy and F1, and their mean; Pearson and Spearman correlation, and their mean.
enum class GlueMetric { kMatthews, kAccuracy, kAccuracyAndF1, kCorrelations };

// Columns of GLUE's own files, 0-based. Rows may be longer, never shorter than `least`.
struct GlueColumns {
  static constexpr int kLast = -1, kNone = -2;
  int label = 0;
  int first = 0;
  int second = kNone;
  int64_t least = 0;
  bool header = true;        // the first line names the columns
  bool skips_short = false;  // shorter rows are left out instead of refused: QQP's files hold some
};

struct GlueDefinition {
  std::string name;                  // as CLEAR's tables write it: "SST-2"
  std::vector<std::string> folders;  // what its folder may be called
  std::vector<std::string> labels;  // class 0, 1, ...; empty for a score on a scale (STS-B). F1 and
                                    // Matthews take class 1 as the positive one
  std::vector<std::string> dev_names;  // parts of the dev set: {""}, or {"_matched",
                                       // "_mismatched"}: dev_matched.tsv, ...
  GlueMetric metric = GlueMetric::kAccuracy;
  GlueColumns columns;
  bool averaged = true;  // takes part in the average over tasks: all but WNLI

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
