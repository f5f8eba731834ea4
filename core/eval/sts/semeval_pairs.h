// The form in which SemEval gave out STS 2012 to 2017, and SentEval after it: sentences in one
// file, scores in another, line by line.
#pragma once

#include <string>

#include "core/eval/sts/sts_set.h"

namespace contrastive::eval {

// "STS.input.MSRpar.txt", "STS2016.input.headlines.txt", "STS.input.track1.ar-ar.txt": by the
// file's name alone.
bool is_semeval_input(const std::string& name);

// Reads such a file ("sentence TAB sentence", further fields are ignored) and its scores:
// STS.gs.<the same>.txt beside it, or, as in 2017, in a folder beside its own that holds scores
// only. An empty line among the scores is a pair that nobody scored. kNotFound without scores;
// kMismatch naming the first line too many and both counts when the files have different numbers of
// lines; kFormat with file and line for a line with less than two sentences, a score that is no
// number, or no score at all.
StsSubset read_semeval_pairs(const std::string& input);

}  // namespace contrastive::eval
