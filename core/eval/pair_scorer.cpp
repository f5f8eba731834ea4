#include "core/eval/pair_scorer.h"

#include <algorithm>
#include <cstddef>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

constexpr size_t kScoredAtOnce = 4096;

void refuse_embedding_key(bool is_set, const char* key) {
  check(!is_set, Status::kArgument, "config key '", key,
        "' is about embeddings, and the model is a reranker, which has none: leave the key out");
}

}  // namespace

std::vector<float> score_pairs(const std::vector<model::TextPair>& pairs, const PairScorer& scorer,
                               const Cancel* cancel) {
  const auto labels = static_cast<size_t>(scorer.labels);
  std::vector<float> scores(pairs.size() * labels);
  for (size_t first = 0; first < pairs.size(); first += kScoredAtOnce) {
    throw_if_cancelled(cancel);
    const size_t last = std::min(pairs.size(), first + kScoredAtOnce);
    scorer.score({pairs.begin() + static_cast<std::ptrdiff_t>(first),
                  pairs.begin() + static_cast<std::ptrdiff_t>(last)},
                 &scores[first * labels]);
  }
  return scores;
}

PairScorer pair_scorer(const model::CrossEncoder& model, const EncodeKeys& keys,
                       ChosenMetric similarity, const Cancel* cancel) {
  check(model.label_count() == 1, Status::kArgument, "the reranker has ", model.label_count(),
        " labels, and this task needs one score for each pair: use a reranker with one label");
  refuse_embedding_key(similarity != ChosenMetric::kModel, "similarity");
  refuse_embedding_key(!keys.pooling.empty(), "encode.pooling");
  refuse_embedding_key(keys.truncate_dim != 0, "encode.truncate_dim");
  model::ScoreOptions options;
  if (!keys.prompt.empty()) options.prompt = keys.prompt;
  options.prompt_name = keys.prompt_name;
  options.max_length = keys.max_length;
  options.cancel = cancel;
  model.check_options(options);
  return {1, [&model, options](const std::vector<model::TextPair>& pairs, float* scores) {
            model.score(pairs, options, scores);
          }};
}

}  // namespace contrastive::eval
