// What a student learns from (core/torch/methods/distill/README.md): the vectors of a sentence
// encoder, or scores of pairs, by such vectors or by a cross-encoder.
#pragma once

#include <ATen/core/Tensor.h>

#include <memory>
#include <string>
#include <vector>

#include "core/torch/methods/frozen_scores.h"
#include "core/torch/methods/frozen_vectors.h"
#include "core/torch/objectives/distillation.h"
#include "core/torch/objectives/in_batch.h"

namespace contrastive::methods {

// One thread at a time.
class Teacher {
 public:
  // The model of `folder`, a reranker too; the start model, as it is now, where `folder` is "".
  Teacher(const std::string& folder, const MethodContext& context);

  bool gives_vectors() const { return vectors_ != nullptr; }  // a cross-encoder gives scores alone
  FrozenVectors& vectors() const { return *vectors_; }
  // Of each pair of the batch and of its hard negatives: logits of the cross-encoder, or how
  // similar the vectors are.
  objectives::CandidateScores scores(const data::Batch& batch,
                                     objectives::Similarity similarity) const;

  MethodState save() const { return gives_vectors() ? vectors_->save() : scores_->save(); }
  void load(const MethodState& state);

 private:
  std::unique_ptr<FrozenVectors> vectors_;
  std::unique_ptr<FrozenScores> scores_;
};

// How similar each row of `a` is to the row of `b` beside it: [n].
at::Tensor row_similarities(const at::Tensor& a, const at::Tensor& b,
                            objectives::Similarity similarity);

}  // namespace contrastive::methods
