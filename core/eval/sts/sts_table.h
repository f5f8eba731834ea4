// Reads a file with scores and sentences side by side, in any of the forms in which data sets of
// scored pairs are distributed.
#pragma once

#include <string>
#include <vector>

#include "core/eval/sts/sts_set.h"
#include "core/eval/sts/sts_split.h"

namespace contrastive::eval {

// The first line shows which form the file has. A gzip file is unpacked.
// - plain: score TAB sentence TAB sentence, without a header.
// - as for training: sentence TAB sentence TAB score, without a header. The first field is not a
//   number, the third is.
// - STS benchmark (sts-dev.csv): genre, file, year, id, score, sentence, sentence [, more], TAB
//   separated, without a header.
// - by header, TAB separated: score, sentence1, sentence2 [, split] (stsbenchmark.tsv.gz of
//   sentence-transformers, GLUE's STS-B), or relatedness_score, sentence_A, sentence_B [,
//   SemEval_set] (SICK_train.txt, SICK.txt).
// - multilingual CSV (stsb-de-test.csv): sentence, sentence, score, with quotes; a header is
//   skipped.
// In all TAB separated forms a quote is an ordinary character. A pair with an empty score is left
// out and counted; a sentence may be empty. There is one subset, named after the file. If the file
// has a column for the split and all splits are requested, there is one subset for each split,
// named after it.
// Errors of for_each_line (lines.h); kFormat with file and line for another number of columns or a
// score that is not a number, kFormat for a file without a scored pair, kNotFound for a split that
// the file does not have.
std::vector<StsSubset> read_sts_table(const std::string& path, StsSplit split);

// Whether a folder's file of this name is read as a table: "sts-test.csv", "headlines.tsv",
// "stsbenchmark.tsv.gz", "SICK_train.txt".
bool is_sts_table(const std::string& name);

}  // namespace contrastive::eval
