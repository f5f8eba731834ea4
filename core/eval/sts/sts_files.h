// Where the data of semantic textual similarity lies: every layout in which it is passed around,
// recognised by what is there.
#pragma once

#include <string>
#include <vector>

#include "core/eval/sts/sts_set.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

// Finds the files of a data set. `path` is one of these:
//
// - A file: STS.input.MSRpar.txt with its scores (semeval_pairs.h), or a table in any form of
//   sts_table.h. `split` is for tables with a column for it. A file whose name tells its split is
//   read as it is.
// - The folder of a data set. It has STS.input.*.txt with STS.gs.*.txt, one subset each (SentEval's
//   STS12-en-test, the originals' test-gold, STS2016.*, Spanish 2014, the tracks of 2017). If not,
//   it has tables, one subset each, in the order of their names: *.tsv, *.tsv.gz, sts*.csv,
//   SICK.txt, SICK_*.txt. If the names of the files tell several splits (train.tsv, dev.tsv,
//   test.tsv), `split` chooses one.
// - A folder with data sets up to four levels below it (SentEval's STS/ or downstream/). Each is a
//   set. It is named after its folder, or after the uppermost folder that contains no other set,
//   without "-en-test".
//
// Data sets without splits are read completely, whatever `split` is. The result is sorted by path.
// kNotFound if there is no data, a split is missing, or sentences have no scores. Other errors are
// those of the two headers above.
std::vector<StsSet> read_sts_sets(const std::string& path, StsSplit split = StsSplit::kPreferTest);

// The subsets of the only data set at `path`; kArgument naming them where there are several.
std::vector<StsSubset> read_sts(const std::string& path, StsSplit split = StsSplit::kPreferTest);

}  // namespace contrastive::eval
