// Finds the data of semantic textual similarity: recognises every layout in which it is
// distributed.
#pragma once

#include <string>
#include <vector>

#include "core/eval/sts/sts_set.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

// `path` is one of:
// - a file: STS.input.MSRpar.txt with its scores (semeval_pairs.h), or a table of any form of
//   sts_table.h. `split` applies to tables with a column for it. A file whose name states its split
//   is read whole.
// - a data set's folder: STS.input.*.txt with STS.gs.*.txt (SentEval's STS12-en-test, the
//   originals' test-gold, STS2016.*, Spanish 2014, the tracks of 2017), one subset each. Otherwise
//   tables (*.tsv, *.tsv.gz, sts*.csv, SICK.txt, SICK_*.txt), one subset each, in the order of
//   their names. If the names of the files tell several splits (train.tsv, dev.tsv, test.tsv),
//   `split` chooses among them.
// - a parent folder, with data sets up to four folders down (SentEval's STS/ or downstream/). Each
//   is a set, named after its folder, or after the uppermost folder that contains no other set,
//   without "-en-test".
// Data sets without splits are read whole, whatever `split` is. Sorted by path.
// kNotFound if there is no such data, a split is missing, or sentences have no scores; the errors
// of the two headers named above.
std::vector<StsSet> read_sts_sets(const std::string& path, StsSplit split = StsSplit::kPreferTest);

// The subsets of the only data set at `path`; kArgument naming the data sets if there are several.
std::vector<StsSubset> read_sts(const std::string& path, StsSplit split = StsSplit::kPreferTest);

}  // namespace contrastive::eval
