// Trains a cross-encoder, or reranker, on pairs with labels, on lists, or from a teacher (Nogueira
// and Cho, 2019; the losses of sentence-transformers' CrossEncoder). The encoder and the head on
// top of it train together.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/objectives/list_loss.h"

namespace contrastive::methods {

enum class RerankerLoss {
  kBinary,
  kClasses,
  kListwise,
  kListNet,
  kLambda,
  kDistillation,
  kMarginDistillation
};

struct RerankerOptions {
  static constexpr const char* kPrefix = "reranker.";
  static constexpr bool kInBatchNegatives = false;
  static constexpr bool kNeedsPairs = true;

  RerankerLoss loss = RerankerLoss::kBinary;
  int64_t labels = 0;
  double positive_weight = 1;
  objectives::LambdaWeights lambda_weights = objectives::LambdaWeights::kNdcgLoss2PlusPlus;
  int64_t lambda_top = 0;
  std::string teacher;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for a key of another loss
  Config training_defaults() const { return usual_training(16, 1); }

  bool lists() const {
    return loss == RerankerLoss::kListwise || loss == RerankerLoss::kListNet ||
           loss == RerankerLoss::kLambda;
  }
  bool distils() const {
    return loss == RerankerLoss::kDistillation || loss == RerankerLoss::kMarginDistillation;
  }
};

MethodTraits describe_reranker(const Config& config);
std::unique_ptr<Method> make_reranker(const MethodContext& context);

}  // namespace contrastive::methods
