// The ByteLevel normaliser: replaces every byte of a text by its printable character (byte_bpe.h).
#pragma once

#include "core/text/normalizer_stage.h"

namespace contrastive::text {

class ByteStandIns : public NormalizerStage {
 public:
  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;
};

}  // namespace contrastive::text
