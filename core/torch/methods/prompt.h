// The prompt that a model puts before every text, tokenized in the same way as
// SentenceEncoder::encode() does it.
#pragma once

#include <string>

#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

struct Prompt {
  std::string text;
  int64_t unpooled = 0;  // leading tokens that pooling leaves out, if the model says so

  Prompt() = default;
  Prompt(std::string prompt, const model::SentenceEncoder& model);
};

std::string default_prompt(const model::SentenceEncoder& model);  // "" if it has none

}  // namespace contrastive::methods
