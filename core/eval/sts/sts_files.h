// Where the data of semantic textual similarity lies: every layout in which it is passed around,
// recognised by what is there.
#pragma once

#include <string>
#include <vector>

#include "core/eval/sts/sts_set.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

// `path` is one of
//   a file              STS.input.MSRpar.txt with its scores (semeval_pairs.h), or a table of any
//   form of sts_table.h. `split` concerns tables with a
//                       column for it; a file whose name says its split is read as it is.
//   a data set's folder STS.input.*.txt with STS.gs.*.txt (SentEval's STS12-en-test, the originals'
//   test-gold, STS2016.*, Spanish 2014, the tracks of
//                       2017), one subset each; else tables: *.tsv, *.tsv.gz, sts*.csv, SICK.txt,
//                       SICK_*.txt, one subset each, in the order of their names. Where the files'
//                       names tell several splits (train.tsv, dev.tsv, test.tsv), `split` chooses
//                       among them.
//   a folder above      with data sets up to four folders down (SentEval's STS/ or downstream/):
//   each is a set, named after its folder, or
//                       after the uppermost one that holds no other set, without "-en-test".
// Data sets without splits are read whole, whatever `split` is. Sorted by path.
// kNotFound where nothing of this is there, a split is missing, or sentences have no scores; the
// errors of the two headers named above.
std::vector<StsSet> read_sts_sets(const std::string& path, StsSplit split = StsSplit::kPreferTest);

// The subsets of the only data set at `path`; kArgument naming them where there are several.
std::vector<StsSubset> read_sts(const std::string& path, StsSplit split = StsSplit::kPreferTest);

}  // namespace contrastive::eval
