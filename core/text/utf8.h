// Reads and writes UTF-8, without ICU. The program uses these functions too.
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

// The same for text that is known to be valid and is not modified by another thread.
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

// The number of bytes before the first malformed sequence; text.size() if the text is valid.
size_t valid_utf8_prefix(std::string_view text);

// The number of control characters, other than white space, and of malformed sequences.
int64_t count_non_text(std::string_view text);

}  // namespace contrastive::text
