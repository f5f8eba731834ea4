// Pairs with a score, trained by CoSENT (Su, 2022), AnglE (Li and Li, 2024) or the squared error of
// the cosine (Reimers and Gurevych, 2019): graded similarity, as STS has it. The whole sentence
// encoder trains.
#pragma once

#include <memory>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"

namespace contrastive::methods {

enum class ScoreLoss { kCosent, kAngle, kMse };

struct ScoredOptions {
  static constexpr const char* kPrefix = "scored.";
  static constexpr bool kInBatchNegatives =
      false;  // describe_scored() says where pairs are compared with pairs
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
