// Training of a vocabulary: a corpus in, a folder with the tokenizer's files out. The learning
// itself is core/text/vocabulary_trainer.h's.
#pragma once

#include <string>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/text/vocabulary_trainer.h"

namespace contrastive::training {

// The config keys of cs_vocabulary_train.
struct VocabularyOptions {
  text::VocabularyTrainerOptions trainer;
  int64_t max_length = 512;  // what the tokenizer's settings state as the longest text

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for keys that do not go together
};

// Reads `input`, one text a line, and writes the folder `output` atomically: vocab.txt for
// WordPiece, vocab.json and merges.txt for byte-level BPE, tokenizer.json for Unigram, and
// tokenizer_config.json. kArgument for an existing folder that is neither empty nor a vocabulary's.
void train_vocabulary(const std::string& input, const std::string& output,
                      const VocabularyOptions& options, const Cancel* cancel);

}  // namespace contrastive::training
