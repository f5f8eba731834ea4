// A complete normalizer: its stages in order.
#pragma once

#include <memory>
#include <vector>

#include "core/text/normalizer.h"
#include "core/text/normalizer_stage.h"

namespace contrastive::text {

// Steps on single characters, as one stage.
class CharacterStage : public NormalizerStage {
 public:
  explicit CharacterStage(std::vector<NormalizerStep> steps) : normalizer_(std::move(steps)) {}

  bool apply(const NormalizedText& in, int64_t shift, bool aligned,
             NormalizedText& out) const override;
  const Normalizer& normalizer() const { return normalizer_; }

 private:
  Normalizer normalizer_;
};

class NormalizerChain {
 public:
  using Stages = std::vector<std::shared_ptr<const NormalizerStage>>;
  explicit NormalizerChain(Stages stages);

  // Same arguments as Normalizer::normalize.
  void normalize(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;

 private:
  Stages stages_;
  // The only normalizer, if all stages are steps on single characters (also without stages).
  const Normalizer* single_ = nullptr;
};

}  // namespace contrastive::text
