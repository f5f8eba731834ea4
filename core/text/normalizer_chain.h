// A whole normalizer: its stages in order.
#pragma once

#include <memory>
#include <vector>

#include "core/text/normalizer.h"
#include "core/text/normalizer_stage.h"

namespace contrastive::text {

// Steps on single characters as a stage among others.
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

  // As Normalizer::normalize, which says what the arguments are.
  void normalize(std::string_view text, int64_t shift, bool aligned, NormalizedText& out) const;
  // The normalizer of all, where it is one of steps on single characters (or of none); else
  // nullptr.
  const Normalizer* single() const { return single_; }
  // Whether a text may be cut between any two ASCII letters or digits, and each part normalised for
  // itself.
  bool keeps_words() const { return keeps_words_; }

 private:
  Stages stages_;
  const Normalizer* single_ = nullptr;
  bool keeps_words_ = true;
};

}  // namespace contrastive::text
