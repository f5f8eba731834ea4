// UTF-8 and the character properties that tokenizers need, with the same values as in Hugging Face
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

constexpr char32_t kReplacement = 0xFFFD;

// Decodes the code point at text[at] and moves `at` after it. A malformed sequence gives one U+FFFD
// for each maximal subpart (Unicode 3.9, table 3-8), like Python's errors="replace"; overlong forms
// and surrogates give one for each byte. The result is at most U+10FFFF. No byte after the text is
// read, even if another thread is writing to it.
char32_t decode_utf8(std::string_view text, size_t& at);

// The same for text that is known to be valid, and that nobody writes to.
inline char32_t decode_valid(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) {
    return static_cast<char32_t>(static_cast<unsigned char>(text[at + i]));
  };
  const char32_t lead = byte(0);
  if (lead < 0x80) return ++at, lead;
  char32_t c = 0;
  if (lead < 0xE0) {
    c = (lead & 0x1F) << 6 | (byte(1) & 0x3F);
    at += 2;
  } else if (lead < 0xF0) {
    c = (lead & 0x0F) << 12 | (byte(1) & 0x3F) << 6 | (byte(2) & 0x3F);
    at += 3;
  } else {
    c = (lead & 0x07) << 18 | (byte(1) & 0x3F) << 12 | (byte(2) & 0x3F) << 6 | (byte(3) & 0x3F);
    at += 4;
  }
  return c;
}

// Writes `c` to `out` (room for 4 bytes) and returns how many bytes it took.
size_t encode_utf8(char32_t c, char* out);
void append_utf8(char32_t c, std::string& out);

// The number of bytes before the first malformed sequence; text.size() if there is none.
size_t valid_utf8_prefix(std::string_view text);

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
