// How an evaluation embeds texts: the keys that every task has under "encode.".
#pragma once

#include <string>

#include "core/base/options.h"
#include "core/eval/text_encoder.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// What is not set has the value of the model folder.
struct EncodeKeys {
  std::string pooling;
  std::string prompt;
  std::string prompt_name;
  int64_t truncate_dim = 0;
  int64_t max_length = 0;

  void visit(OptionVisitor& v);
  model::EncodeOptions resolved(const Cancel* cancel) const;
};

// An encoder of `model` with these options; `model` must outlive the result.
TextEncoder text_encoder(const model::SentenceEncoder& model, const model::EncodeOptions& options);

}  // namespace contrastive::eval
