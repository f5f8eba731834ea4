// Training on pairs with a score (graded similarity, as in STS) by CoSENT (Su, 2022), AnglE (Li and
// Li, 2024) or the squared error of the cosine (Reimers and Gurevych, 2019). The whole sentence
// encoder trains.
#pragma once

#include <memory>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"

namespace contrastive::methods {

enum class ScoreLoss { kCosent, kAngle, kMse };

struct ScoredOptions {
  static constexpr const char* kPrefix = "scored.";
  // describe_scored() says when pairs are compared with pairs.
  static constexpr bool kInBatchNegatives = false;
  static constexpr bool kNeedsPairs = true;

  ScoreLoss loss = ScoreLoss::kCosent;
  double scale = 20;
  double max_score = 1;
  PairPrompts prompts;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for a key of another loss
  Config training_defaults() const { return usual_training(16, 4); }
};

MethodTraits describe_scored(const Config& config);
std::unique_ptr<Method> make_scored(const MethodContext& context);

}  // namespace contrastive::methods
