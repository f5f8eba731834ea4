// The character properties that tokenizers need, with the same values as in Hugging Face
// `tokenizers`. Its crates have the tables of several Unicode versions, so each property is ICU's
// as of that version (listed in unicode.cpp), with corrections for the few characters that have
// changed since. The results are cached in pages, so loops over text never call ICU twice for one
// character.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::text {

enum CharFlag : uint16_t {
  kSpace = 1 << 0,        // White_Space
  kDropped = 1 << 1,      // removed by BERT's text cleaning: NUL, U+FFFD, control, format and
                          // private-use characters
  kPunctuation = 1 << 2,  // BERT splits on it: ASCII punctuation and symbols, and category P
  kAccent = 1 << 3,       // removed by BERT's accent stripping: category Mn
  kMark = 1 << 4,         // removed by the StripAccents normaliser: category M
  kLetter = 1 << 5,       // \p{L} of the byte-level split
  kNumber = 1 << 6,       // \p{N} of the byte-level split
  kCjk = 1 << 7,          // the blocks that BERT puts spaces around
};

uint16_t char_flags(char32_t c);

// Whether the tables of normalisation have the character: it was assigned in their version of
// Unicode.
bool known_to_normalization(char32_t c);
// The characters that Unicode 15.1 and 16 added to kLetter, kNumber or kMark, as ranges for a
// character class of a regular expression. ICU may not have them yet.
std::string newer_characters(CharFlag flag);

// Canonical combining class: NFD sorts consecutive marks by it.
uint8_t combining_class(char32_t c);
// Writes the full canonical decomposition to `out` (room for 4) and returns its length; 1 for a
// character that does not decompose.
size_t decompose(char32_t c, char32_t* out);
// Writes the lower case, without context, to `out` (room for 2) and returns its length.
size_t lower_case(char32_t c, char32_t* out);
// Rust's char::is_numeric: \p{N} of its newest Unicode.
bool is_numeric(char32_t c);
// \w of regular expressions: characters that may not be next to an added token with single_word.
bool is_word_char(char32_t c);

}  // namespace contrastive::text
