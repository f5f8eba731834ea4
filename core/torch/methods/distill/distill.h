// Distillation: a student sentence encoder learns from a teacher
// (core/torch/methods/distill/README.md). It learns the teacher's vectors (sentence-transformers'
// MSELoss; Reimers and Gurevych, 2020, across languages), its margins (MarginMSE; Hofstaetter et
// al., 2020), or its distribution over a pair's candidates. The whole student trains.
#pragma once

#include <memory>
#include <string>

#include "core/torch/methods/pair_method.h"
#include "core/torch/methods/registry.h"
#include "core/torch/objectives/in_batch.h"

namespace contrastive::methods {

enum class DistillLoss { kEmbeddingMse, kMarginMse, kScores };
// What the second text of a pair learns: the teacher's vector of the first text, or of itself.
enum class SecondTexts { kTranslations, kOwn };
enum class StudentProjection { kNone, kLinear };

struct DistillOptions {
  static constexpr const char* kPrefix = "distill.";
  static constexpr bool kInBatchNegatives = false;
  static constexpr bool kNeedsPairs = false;  // describe_distill() says which losses need them

  DistillLoss loss = DistillLoss::kEmbeddingMse;
  std::string teacher;  // folder; "" = the start model as it is when the run begins
  SecondTexts second_texts = SecondTexts::kTranslations;
  objectives::Similarity similarity = objectives::Similarity::kDot;
  double temperature = 1;
  StudentProjection projection = StudentProjection::kNone;
  bool teacher_pca = false;
  int64_t pca_texts = 20000;
  PairPrompts prompts;
  TunedEncoderOptions encoder = whole_encoder(kPrefix);

  void visit(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for choices that exclude each other
  Config training_defaults() const { return usual_training(64, 1); }

  bool of_vectors() const { return loss == DistillLoss::kEmbeddingMse; }
  bool scores_in_data() const { return !of_vectors() && teacher.empty(); }
  bool reads_negatives() const { return !of_vectors() || second_texts == SecondTexts::kOwn; }
};

MethodTraits describe_distill(const Config& config);
std::unique_ptr<Method> make_distill(const MethodContext& context);

}  // namespace contrastive::methods
