// What an evaluation needs of a reranker: pairs of texts in, scores out. A CrossEncoder is one, a
// trainer's unsaved weights are another.
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

// `model` as the keys of a task want it; it must outlive the result. kArgument where the model has
// several labels, and for keys that only embeddings have.
PairScorer pair_scorer(const model::CrossEncoder& model, const EncodeKeys& keys,
                       ChosenMetric similarity, const Cancel* cancel);

}  // namespace contrastive::eval
