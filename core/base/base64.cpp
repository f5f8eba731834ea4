#include "core/base/base64.h"

#include <cstdint>

#include "core/base/error.h"

namespace contrastive {
namespace {

// The six bits of a digit, or -1 for any other character.
int value_of(char digit) {
  if (digit >= 'A' && digit <= 'Z') return digit - 'A';
  if (digit >= 'a' && digit <= 'z') return digit - 'a' + 26;
  if (digit >= '0' && digit <= '9') return digit - '0' + 52;
  return digit == '+' ? 62 : digit == '/' ? 63 : -1;
}

}  // namespace

std::string decode_base64(std::string_view text, const std::string& source) {
  check(text.size() % 4 == 0, Status::kFormat, source, ": ", text.size(),
        " characters of base64, which come in fours");
  size_t digits = text.size();
  while (digits > 0 && text.size() - digits < 2 && text[digits - 1] == '=') --digits;
  std::string bytes;
  bytes.reserve(digits / 4 * 3 + 2);
  uint32_t bits = 0;
  int count = 0;
  for (size_t i = 0; i < digits; ++i) {
    const int value = value_of(text[i]);
    check(value >= 0, Status::kFormat, source, ": character ", i, " is not a base64 character");
    bits = (bits << 6 | static_cast<uint32_t>(value)) & 0xFFFF;
    count += 6;
    if (count < 8) continue;
    count -= 8;
    bytes += static_cast<char>(bits >> count & 0xFF);
  }
  return bytes;
}

}  // namespace contrastive
