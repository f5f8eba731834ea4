// Turns many texts into packed batches of similar length: tokenises on all threads, sorts by
// length, and cuts batches under a token budget.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/text/token_batch.h"
#include "core/text/tokenizer.h"

namespace contrastive::model {

// Two texts that are read together.
struct TextPair {
  std::string_view first, second;
};

// The texts of one call, tokenised in chunks. `order` lists them from the longest to the shortest.
class TokenisedTexts {
 public:
  // If the tokenizer refuses malformed UTF-8, throws kFormat before anything is tokenised.
  TokenisedTexts(const text::Tokenizer& tokenizer, const std::vector<std::string_view>& texts,
                 const std::string& prompt, int64_t max_length, const Cancel* cancel);
  // The same for pairs, each of which is treated as one text afterwards. The prompt is before the
  // first text of a pair, and truncation cuts the longer text first.
  TokenisedTexts(const text::Tokenizer& tokenizer, const std::vector<TextPair>& pairs,
                 const std::string& prompt, int64_t max_length, const Cancel* cancel);

  int64_t tokens() const { return tokens_; }
  const std::vector<int64_t>& order() const { return order_; }
  int64_t length(int64_t text) const { return chunks_[chunk(text)].length(place(text)); }
  int32_t full_length(int64_t text) const {
    return chunks_[chunk(text)].full_lengths[static_cast<size_t>(place(text))];
  }
  // The texts order[begin] ... order[end - 1], packed.
  text::TokenBatch pack(int64_t begin, int64_t end) const;

 private:
  static constexpr int64_t kChunk = 32;
  static size_t chunk(int64_t text) { return static_cast<size_t>(text / kChunk); }
  // append(text, buffer for its prompted form, batch) tokenises one text.
  template <class Append>
  void tokenise(int64_t count, const Cancel* cancel, const Append& append);
  static int64_t place(int64_t text) { return text % kChunk; }

  std::vector<text::TokenBatch> chunks_;
  std::vector<int64_t> order_;
  int64_t tokens_ = 0;
};

// Cuts `order` into batches of at most `budget` tokens; a longer text is a separate batch.
// Returns the first index of each batch, followed by the end.
std::vector<int64_t> cut_batches(const TokenisedTexts& texts, int64_t budget);

}  // namespace contrastive::model
