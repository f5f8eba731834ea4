// The data of paraphrase mining: labelled pairs, or sentence-transformers' two files.
#pragma once

#include <string>

#include "core/eval/retrieval/paraphrases.h"

namespace contrastive::eval {

// A file of "label TAB text TAB text" lines (label 1: paraphrases): the texts are all that occur,
// each once.
ParaphraseData read_paraphrase_pairs(const std::string& path, bool transitive);
// sentence-transformers' layout: "id TAB text" lines and "id TAB id" lines, each with or without a
// header line ("id" or "qid"; "id1 TAB id2" or "qid1 TAB qid2"). kFormat with file and line for an
// id used twice; kNotFound for one that no text has.
ParaphraseData read_paraphrase_files(const std::string& texts, const std::string& duplicates,
                                     bool transitive);

}  // namespace contrastive::eval
