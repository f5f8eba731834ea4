#include "core/text/utf8.h"

#include <cstring>

namespace contrastive::text {
namespace {

// True if the eight bytes are all ASCII.
bool all_ascii(std::string_view bytes) {
  uint64_t word = 0;
  if (bytes.size() < sizeof(word)) return false;
  std::memcpy(&word, bytes.data(), sizeof(word));
  return (word & 0x8080808080808080) == 0;
}

}  // namespace

char32_t decode_utf8(std::string_view text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(at);
  if (lead < 0x80) return byte(at++);
  // The legal range of the second byte excludes overlong forms, surrogates and code points above
  // U+10FFFF.
  size_t length = 0;
  unsigned char low = 0x80, high = 0xBF;
  if (lead >= 0xC2 && lead <= 0xDF) {
    length = 2;
  } else if (lead >= 0xE0 && lead <= 0xEF) {
    length = 3;
    if (lead == 0xE0) low = 0xA0;
    if (lead == 0xED) high = 0x9F;
  } else if (lead >= 0xF0 && lead <= 0xF4) {
    length = 4;
    if (lead == 0xF0) low = 0x90;
    if (lead == 0xF4) high = 0x8F;
  }
  ++at;
  if (length == 0) return kReplacement;
  char32_t c = lead & (0xFF >> (length + 1));
  for (size_t i = 1; i < length; ++i) {
    const unsigned char next =
        at < text.size() ? byte(at) : 0;  // read once, because another thread may change it
    if (next < low || next > high) return kReplacement;
    ++at;
    c = c << 6 | (next & 0x3F);
    low = 0x80;
    high = 0xBF;
  }
  return c;
}

size_t encode_utf8(char32_t c, char* out) {
  if (c < 0x80) {
    out[0] = static_cast<char>(c);
    return 1;
  }
  if (c < 0x800) {
    out[0] = static_cast<char>(0xC0 | c >> 6);
    out[1] = static_cast<char>(0x80 | (c & 0x3F));
    return 2;
  }
  if (c < 0x10000) {
    out[0] = static_cast<char>(0xE0 | c >> 12);
    out[1] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
    out[2] = static_cast<char>(0x80 | (c & 0x3F));
    return 3;
  }
  out[0] = static_cast<char>(0xF0 | c >> 18);
  out[1] = static_cast<char>(0x80 | (c >> 12 & 0x3F));
  out[2] = static_cast<char>(0x80 | (c >> 6 & 0x3F));
  out[3] = static_cast<char>(0x80 | (c & 0x3F));
  return 4;
}

void append_utf8(char32_t c, std::string& out) {
  char bytes[4];
  out.append(bytes, encode_utf8(c, bytes));
}

size_t valid_utf8_prefix(std::string_view text) {
  size_t at = 0;
  while (at < text.size()) {
    if (static_cast<unsigned char>(text[at]) < 0x80) {
      at += all_ascii(text.substr(at, 8)) ? 8 : 1;
      continue;
    }
    const size_t begin = at;
    // A genuine U+FFFD is three bytes that begin with 0xEF. Every other replacement comes from a
    // malformed sequence.
    if (decode_utf8(text, at) == kReplacement && text.substr(begin, at - begin) != "\xEF\xBF\xBD")
      return begin;
  }
  return at;
}

int64_t count_non_text(std::string_view text) {
  int64_t count = 0;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = at;
    const char32_t c = decode_utf8(text, at);
    count += (c < 0x20 && (c < '\t' || c > '\r')) || c == 0x7F ||
             (c == kReplacement && text.substr(begin, at - begin) != "\uFFFD");
  }
  return count;
}

}  // namespace contrastive::text
