// The interface of a reranker for evaluations: pairs of texts in, scores out. A CrossEncoder
// implements it, and so do a trainer's unsaved weights.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/base/cancel.h"
#include "core/eval/encode_keys.h"
#include "core/eval/model_metric.h"
#include "core/model/cross_encoder.h"
#include "core/model/token_packing.h"

namespace contrastive::eval {

// Pairs of texts in, [pairs, labels] numbers out.
struct PairScorer {
  int64_t labels = 1;
  std::function<void(const std::vector<model::TextPair>& pairs, float* scores)> score;
};

// The scores of all pairs, [pairs, labels]. `cancel` is polled between blocks of pairs.
std::vector<float> score_pairs(const std::vector<model::TextPair>& pairs, const PairScorer& scorer,
                               const Cancel* cancel);

// Wraps `model` with the keys of a task; `model` must outlive the result. kArgument if the model
// has several labels, and for keys that only apply to embeddings.
PairScorer pair_scorer(const model::CrossEncoder& model, const EncodeKeys& keys,
                       ChosenMetric similarity, const Cancel* cancel);

}  // namespace contrastive::eval
