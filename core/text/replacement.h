// The Replace normaliser: replaces every match of a pattern by the same text.
#pragma once

#include <memory>
#include <string>

#include "core/text/normalizer_stage.h"
#include "core/text/pattern.h"

namespace contrastive::text {

class Replacement : public NormalizerStage {
 public:
  Replacement(std::shared_ptr<const Pattern> pattern, std::string content)
      : pattern_(std::move(pattern)), content_(std::move(content)) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;

 private:
  std::shared_ptr<const Pattern> pattern_;
  std::string content_;
};

}  // namespace contrastive::text
