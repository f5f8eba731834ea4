// Learns a tokenizer's vocabulary from a corpus and writes a folder with the tokenizer's files.
// core/text/vocabulary_learner.h implements the algorithm.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/text/vocabulary_learner.h"

namespace contrastive::vocabulary {

// The config keys of cs_vocabulary_train.
struct VocabularyOptions {
  text::VocabularyLearnerOptions learner;
  int64_t max_length = 512;  // model_max_length in the tokenizer's settings

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for keys that cannot be combined
};

// Reads `input`, one text for each line, and writes the folder `output` atomically: vocab.txt for
// WordPiece, vocab.json and merges.txt for byte-level BPE, tokenizer.json for Unigram, and
// tokenizer_config.json. kArgument if the folder exists and is neither empty nor a vocabulary's.
void learn_vocabulary(const std::string& input, const std::string& output,
                      const VocabularyOptions& options, const Cancel* cancel);

}  // namespace contrastive::vocabulary
