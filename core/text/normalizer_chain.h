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
  bool keeps_words() const override { return true; }
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
  // The only normalizer, if all stages are steps on single characters (or there are none);
  // otherwise nullptr.
  const Normalizer* single() const { return single_; }
  // Whether a text may be cut between any two ASCII letters or digits and each part normalised
  // separately.
  bool keeps_words() const { return keeps_words_; }

 private:
  Stages stages_;
  const Normalizer* single_ = nullptr;
  bool keeps_words_ = true;
};

}  // namespace contrastive::text
