// Reads the files of a GLUE task: GLUE's own TSV columns, or plain lines "label TAB text" and
// "label TAB text TAB text".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/torch/tasks/glue/glue_definition.h"

namespace contrastive::eval {

struct GlueSet {
  std::string path;
  std::vector<std::string> first, second;  // `second` is empty if the task has single sentences
  std::vector<double> targets;             // class numbers, or scores
  int64_t skipped = 0;                     // rows too short to be used (QQP)

  int64_t size() const { return static_cast<int64_t>(first.size()); }
};

// What chooses the best epoch and the cell of the grid, and what is reported: the dev set for both;
// the first part of the dev set and the rest of it (SG-OPT); the dev set and a labelled test.tsv.
enum class GlueSplit { kDev, kSplitDev, kTest };

struct GlueData {
  GlueSet train;
  std::vector<GlueSet> select, test;  // one for each of the definition's dev_names

  bool same() const { return test.empty(); }  // `select` is also what is reported
  const std::vector<GlueSet>& reported() const { return same() ? select : test; }
};

// Reads one file. Its first line shows which of the two forms it has. Quotes are ordinary
// characters. kNotFound, kIo, and kFormat with file and line for an unknown label, a score that is
// not a number, missing columns, and a file without rows.
GlueSet read_glue_file(const GlueDefinition& definition, const std::string& path);

// Reads the task's folder inside `folder`, with train.tsv, dev.tsv (or val.tsv) and, for kTest,
// test.tsv; for MNLI dev_matched.tsv and dev_mismatched.tsv. `select_part`: the share, from the
// front, that kSplitDev uses for selection. kNotFound names what was looked for; kArgument if a
// part is empty.
GlueData read_glue(const GlueDefinition& definition, const std::string& folder, GlueSplit split,
                   double select_part);

}  // namespace contrastive::eval
