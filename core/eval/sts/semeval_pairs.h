// Reads the format of SemEval's STS 2012 to 2017 and of SentEval: sentences in one file, scores in
// another, line by line.
#pragma once

#include <string>

#include "core/eval/sts/sts_set.h"

namespace contrastive::eval {

// Whether the name of the file is that of sentences: "STS.input.MSRpar.txt",
// "STS2016.input.headlines.txt", "STS.input.track1.ar-ar.txt".
bool is_semeval_input(const std::string& name);

// Reads such a file ("sentence TAB sentence", further fields are ignored) and its scores. They are
// in STS.gs.<the same>.txt in the same folder, or, as in 2017, in a sibling folder that contains
// only scores. An empty line among the scores is a pair without a score. kNotFound without scores;
// kMismatch naming the first surplus line and both counts if the files differ in their numbers of
// lines; kFormat with file and line for a line with fewer than two sentences, a score that is not a
// number, or no score at all.
StsSubset read_semeval_pairs(const std::string& input);

}  // namespace contrastive::eval
