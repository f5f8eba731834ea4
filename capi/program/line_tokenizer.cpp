#include "capi/program/line_tokenizer.h"

#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/handle.h"

namespace contrastive::cli {

// Tries with the current arrays, and again with larger ones if they are too small.
const Tokens& LineTokenizer::tokenize(const std::string& text) {
  resize(std::max(tokens_.ids.capacity(), text.size() / 2 + 64));
  int32_t count = 0;
  if (attempt(text, &count, nullptr) != CS_OK) {
    resize(static_cast<size_t>(count));
    Outcome outcome;
    attempt(text, &count, outcome);
    outcome.check();
  }
  resize(static_cast<size_t>(count));
  return tokens_;
}

int64_t LineTokenizer::count(const std::string& text) const {
  int32_t count = 0;
  Outcome outcome;
  cs_tokenize(model_, text.data(), static_cast<int64_t>(text.size()), max_length_, nullptr, nullptr,
              nullptr, 0, &count, outcome);
  outcome.check();
  return count;
}

void LineTokenizer::resize(size_t n) {
  tokens_.ids.resize(n);
  tokens_.begins.resize(with_offsets_ ? n : 0);
  tokens_.ends.resize(with_offsets_ ? n : 0);
}

cs_status LineTokenizer::attempt(const std::string& text, int32_t* count, cs_error** error) {
  return cs_tokenize(model_, text.data(), static_cast<int64_t>(text.size()), max_length_,
                     tokens_.ids.data(), with_offsets_ ? tokens_.begins.data() : nullptr,
                     with_offsets_ ? tokens_.ends.data() : nullptr,
                     static_cast<int64_t>(tokens_.ids.size()), count, error);
}

std::string token_text(const cs_model* model, int32_t id) {
  Outcome outcome;
  const String text(cs_token(model, id, outcome));
  outcome.check();
  return text.get();
}

}  // namespace contrastive::cli
