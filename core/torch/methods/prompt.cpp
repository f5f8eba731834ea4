#include "core/torch/methods/prompt.h"

namespace contrastive::methods {
namespace {

// Counted as in sentence-transformers: the prompt with its special tokens, without the closing one.
int64_t count_tokens(const text::Tokenizer& tokenizer, const std::string& prompt) {
  const text::Encoding encoded = tokenizer.encode(prompt, 0);
  const auto count = static_cast<int64_t>(encoded.ids.size());
  return count > 0 && tokenizer.is_special(encoded.ids.back()) ? count - 1 : count;
}

}  // namespace

Prompt::Prompt(std::string prompt, const model::SentenceEncoder& model) : text(std::move(prompt)) {
  if (!text.empty() && !model.folder().include_prompt)
    unpooled = count_tokens(model.tokenizer(), text);
}

std::string default_prompt(const model::SentenceEncoder& model) {
  const io::ModelFolder& folder = model.folder();
  const auto found = folder.prompts.find(folder.default_prompt_name);
  return folder.default_prompt_name.empty() || found == folder.prompts.end() ? "" : found->second;
}

}  // namespace contrastive::methods
