// Tokenizes one text after another, and reuses the arrays.
#pragma once

#include <contrastive/contrastive.h>

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::cli {

struct Tokens {
  std::vector<int32_t> ids, begins, ends;
};

class LineTokenizer {
 public:
  // `max_length`: the most ids of a text; 0 for no limit.
  LineTokenizer(const cs_model* model, int32_t max_length, bool with_offsets)
      : model_(model), max_length_(max_length == 0 ? -1 : max_length), with_offsets_(with_offsets) {
  }

  // Valid until the next call.
  const Tokens& tokenize(const std::string& text);
  int64_t count(const std::string& text) const;

 private:
  void resize(size_t n);
  cs_status attempt(const std::string& text, int32_t* count, cs_error** error);

  const cs_model* model_;
  int32_t max_length_;
  bool with_offsets_;
  Tokens tokens_;
};

// The token of an id, as the vocabulary writes it.
std::string token_text(const cs_model* model, int32_t id);

}  // namespace contrastive::cli
