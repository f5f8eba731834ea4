// A model as fairseq's families have it, and the ids of a text.
#pragma once

#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"
#include "tests/core/io/sentencepiece_bytes.h"

namespace contrastive::test {

inline SentencePieceBytes fairseq() {
  SentencePieceBytes bytes;
  bytes.piece("<unk>", 0, 2)
      .piece("<s>", 0, 3)
      .piece("</s>", 0, 3)
      .piece("\u2581a", -1, 1)
      .piece("b", -2, 1)
      .piece("\u2581", -3, 1);
  return bytes.trainer(1, false, 0);
}

inline std::vector<int32_t> ids(const text::Tokenizer& tokenizer, std::string_view text) {
  return tokenizer.encode(text, 0).ids;
}

}  // namespace contrastive::test
