// Splits text into words for the model: BERT's split (white space and punctuation) and GPT-2's (its
// regular expression, as code). Both take valid UTF-8 and call `word(begin, end)` with byte
// positions, in order. They take linear time.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {

enum class BertClass : uint8_t { kWord, kSpace, kPunctuation };
const std::array<BertClass, 128>& bert_ascii();  // the class of every ASCII character

inline BertClass bert_class(char32_t c) {
  const uint16_t flags = char_flags(c);
  return (flags & kSpace) != 0         ? BertClass::kSpace
         : (flags & kPunctuation) != 0 ? BertClass::kPunctuation
                                       : BertClass::kWord;
}

// Splits at white space. Every punctuation character is a separate word.
template <class Word>
void split_bert(std::string_view text, const Word& word) {
  const std::array<BertClass, 128>& ascii = bert_ascii();
  size_t begin = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t from = at;
    const auto byte = static_cast<unsigned char>(text[at]);
    BertClass kind;
    if (byte < 0x80) {
      kind = ascii[byte];
      ++at;
    } else {
      kind = bert_class(decode_valid(text, at));
    }
    if (kind == BertClass::kWord) continue;
    if (from > begin) word(begin, from);
    if (kind == BertClass::kPunctuation) word(from, at);
    begin = at;
  }
  if (text.size() > begin) word(begin, text.size());
}

// The end of the piece that begins at `begin` under GPT-2's expression
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
size_t gpt2_piece_end(std::string_view text, size_t begin);

// The same under GPT-4's expression, as Qwen (one digit at a time) and Llama 3 (up to three) have
// it. It is one expression, here in two lines with the space as \x20:
//   (?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,digits}|
//   \x20?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+
size_t gpt4_piece_end(std::string_view text, size_t begin, size_t digits);
template <size_t digits>
size_t gpt4_piece_end(std::string_view text, size_t begin) {
  return gpt4_piece_end(text, begin, digits);
}

template <class Word>
void split_gpt2(std::string_view text, const Word& word) {
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = gpt2_piece_end(text, begin);
    word(begin, end);
    begin = end;
  }
}

}  // namespace contrastive::text
