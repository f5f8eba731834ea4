#include "core/text/byte_tokens.h"

#include <algorithm>

namespace contrastive::text {

std::string ByteTokens::name(unsigned char byte) {
  constexpr char kDigits[] = "0123456789ABCDEF";
  return std::string("<0x") + kDigits[byte >> 4] + kDigits[byte & 15] + ">";
}

ByteTokens::ByteTokens(const Vocabulary& vocabulary) {
  for (size_t byte = 0; byte < 256; ++byte)
    ids_[byte] = vocabulary.id(name(static_cast<unsigned char>(byte)));
}

bool ByteTokens::cover(std::string_view text) const {
  return std::all_of(text.begin(), text.end(), [this](char byte) { return id(byte) >= 0; });
}

}  // namespace contrastive::text
