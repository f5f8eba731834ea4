// The triplet loss (Hermans et al., 2017; sentence-transformers' TripletLoss) on pairs with hard
// negatives: each negative must be further away than the positive, by a margin. The whole sentence
// encoder trains.
#pragma once

#include <memory>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/methods/triplet/triplet_loss.h"

namespace contrastive::methods {

struct TripletOptions {
  static constexpr const char* kPrefix = "triplet.";
  static constexpr bool kInBatchNegatives = false;
  static constexpr bool kNeedsPairs = true;

  Distance distance = Distance::kEuclidean;
  double margin = 5;
  PairPrompts prompts;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const { encoder.validate(config); }
  Config training_defaults() const { return usual_training(16, 1); }
};

MethodTraits describe_triplet(const Config& config);
std::unique_ptr<Method> make_triplet(const MethodContext& context);

}  // namespace contrastive::methods
