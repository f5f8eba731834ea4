// UTF-8 and the character properties that tokenizers ask for, as Hugging Face `tokenizers` sees
// them: its crates carry the tables of several Unicode versions, so each property is ICU's seen as
// of that version (unicode.cpp says which), with the few characters that changed since. The answers
// are cached in pages; loops over text never call ICU twice for one character. Tokenising proper
// lives in the files beside this one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::text {

constexpr char32_t kReplacement = 0xFFFD;

// The code point at text[at]; `at` moves behind it. A malformed sequence reads as one U+FFFD per
// maximal subpart (Unicode 3.9, table 3-8), which is what Python's errors="replace" does: overlong
// forms and surrogates give one per byte. The result is at most U+10FFFF, and no byte behind the
// text is read, even where another thread is writing to it.
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

// The bytes before the first malformed sequence; text.size() when there is none.
size_t valid_utf8_prefix(std::string_view text);

enum CharFlag : uint16_t {
  kSpace = 1 << 0,        // White_Space
  kDropped = 1 << 1,      // what BERT's text cleaning removes: NUL, U+FFFD, control, format and
                          // private-use characters
  kPunctuation = 1 << 2,  // what BERT splits on: ASCII punctuation and symbols, and category P
  kAccent = 1 << 3,       // what BERT's accent stripping removes: category Mn
  kMark = 1 << 4,         // what the StripAccents normaliser removes: category M
  kLetter = 1 << 5,       // \p{L} of the byte-level split
  kNumber = 1 << 6,       // \p{N} of the byte-level split
  kCjk = 1 << 7,          // the blocks that BERT puts spaces around
};

uint16_t char_flags(char32_t c);

// Whether the tables of normalisation know the character: it was assigned in their version of
// Unicode.
bool known_to_normalization(char32_t c);
// What Unicode 15.1 and 16 added to kLetter, kNumber or kMark, as ranges inside the brackets of a
// regular expression: ICU may not know them yet.
std::string newer_characters(CharFlag flag);

// Canonical combining class: marks of different classes are put in order by NFD.
uint8_t combining_class(char32_t c);
// Full canonical decomposition into `out` (room for 4); returns its length, 1 for what does not
// decompose.
size_t decompose(char32_t c, char32_t* out);
// Lower case without context into `out` (room for 2); returns its length.
size_t lower_case(char32_t c, char32_t* out);
// What Rust's char::is_numeric says: \p{N} of its newest Unicode.
bool is_numeric(char32_t c);
// \w of regular expressions: what may not stand beside an added token that matches whole words
// only.
bool is_word_char(char32_t c);

}  // namespace contrastive::text
