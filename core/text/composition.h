// NFC and NFKC as a normalizer stage: decomposition, canonical order, and composition.
#pragma once

#include "core/text/normalizer_stage.h"

namespace contrastive::text {

class Composition : public NormalizerStage {
 public:
  explicit Composition(bool compatible) : compatible_(compatible) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  bool is_composed(std::string_view text) const;

  bool compatible_;
};

}  // namespace contrastive::text
