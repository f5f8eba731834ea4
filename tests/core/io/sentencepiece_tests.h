// A model as fairseq's families have it.
#pragma once

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

}  // namespace contrastive::test
