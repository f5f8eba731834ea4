// The tokens for single bytes in SentencePiece vocabularies, "<0x00>" to "<0xFF>". A character that
// is not in the vocabulary becomes the tokens of its bytes.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/vocabulary.h"

namespace contrastive::text {

class ByteTokens {
 public:
  explicit ByteTokens(const Vocabulary& vocabulary);

  static std::string name(unsigned char byte);
  // Whether the vocabulary has a token for every byte of `text`.
  bool cover(std::string_view text) const;
  int32_t id(char byte) const {
    return ids_[static_cast<unsigned char>(byte)];
  }  // -1 if the byte has no token

 private:
  std::array<int32_t, 256> ids_{};
};

}  // namespace contrastive::text
