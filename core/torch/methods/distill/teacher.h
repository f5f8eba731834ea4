// The teacher of a distillation (core/torch/methods/distill/README.md): gives the vectors of a
// sentence encoder, or scores of pairs, from such vectors or from a cross-encoder.
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

// Not thread-safe.
class Teacher {
 public:
  // Loads the model of `folder`, which may be a reranker. If `folder` is "", uses the start model
  // as it is now.
  Teacher(const std::string& folder, const MethodContext& context);

  bool gives_vectors() const { return vectors_ != nullptr; }  // a cross-encoder gives only scores
  FrozenVectors& vectors() const { return *vectors_; }
  // Scores of each pair of the batch and of its hard negatives: the logits of the cross-encoder, or
  // the similarities of the vectors.
  objectives::CandidateScores scores(const data::Batch& batch,
                                     objectives::Similarity similarity) const;

  MethodState save() const { return gives_vectors() ? vectors_->save() : scores_->save(); }
  void load(const MethodState& state);

 private:
  std::unique_ptr<FrozenVectors> vectors_;
  std::unique_ptr<FrozenScores> scores_;
};

// The similarity of each row of `a` to the same row of `b`: [n].
at::Tensor row_similarities(const at::Tensor& a, const at::Tensor& b,
                            objectives::Similarity similarity);

}  // namespace contrastive::methods
