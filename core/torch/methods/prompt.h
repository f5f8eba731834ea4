// Text that stands before every text of a model: what it was made with, as
// SentenceEncoder::encode() puts it there.
#pragma once

#include <string>

#include "core/model/sentence_encoder.h"

namespace contrastive::methods {

struct Prompt {
  std::string text;
  int64_t unpooled = 0;  // leading tokens that pooling leaves out, where the model says so

  Prompt() = default;
  Prompt(std::string prompt, const model::SentenceEncoder& model);
};

std::string default_prompt(const model::SentenceEncoder& model);  // "" where it has none

}  // namespace contrastive::methods
