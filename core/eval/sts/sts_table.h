// One file that holds scores and sentences side by side, in any of the forms in which data sets of
// scored pairs are passed around.
#pragma once

#include <string>
#include <vector>

#include "core/eval/sts/sts_set.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

// Reads a table of scored pairs. The first line tells the form. A gzip file is unpacked first.
//
//   plain             score TAB sentence TAB sentence
//                     No header.
//   as for training   sentence TAB sentence TAB score
//                     No header. The first field is not a number, and the third is.
//   STS benchmark     genre, file, year, id, score, sentence, sentence [, more], TAB separated
//                     No header (sts-dev.csv).
//   by header, TAB    score, sentence1, sentence2 [, split]
//                     sbert's stsbenchmark.tsv.gz, GLUE's STS-B.
//                     relatedness_score, sentence_A, sentence_B [, SemEval_set]
//                     SICK_train.txt, SICK.txt.
//   multilingual CSV  sentence, sentence, score, with quotes
//                     stsb-de-test.csv. A header is skipped.
//
// In all TAB separated forms a quote is an ordinary character. A pair with an empty score is left
// out and counted. A sentence may be empty. The table is one subset, named after the file. If the
// file has a column for the split and all splits are wanted, each split is a subset with its name.
//
// Errors are those of for_each_line (lines.h). kFormat with file and line for another number of
// columns or a score that is not a number. kFormat for a file without a scored pair. kNotFound for
// a split that the file does not have.
std::vector<StsSubset> read_sts_table(const std::string& path, StsSplit split);

// "sts-test.csv", "headlines.tsv", "stsbenchmark.tsv.gz", "SICK_train.txt": the names under which
// such files are looked for in a folder.
bool is_sts_table(const std::string& name);

}  // namespace contrastive::eval
