// A guide that is a reranker: it reads query and document together. Its score is taken after the
// activation, as sentence-transformers does with a CrossEncoder.
#pragma once

#include <memory>
#include <string>

#include "core/mining/guide.h"
#include "core/mining/mining_options.h"
#include "core/model/cross_encoder.h"

namespace contrastive::mining {

class RerankerGuide : public Guide {
 public:
  // kArgument for a reranker with several labels, and for a prompt of documents, which a reranker
  // cannot have.
  RerankerGuide(std::shared_ptr<const model::CrossEncoder> reranker, const MiningOptions& options);
  void score(const TextTable& queries, const TextTable& documents,
             const std::vector<GuideQuestion>& questions, const Cancel* cancel) override;

 private:
  void score_named(const std::vector<model::TextPair>& pairs, const model::ScoreOptions& options,
                   float* scores) const;

  std::shared_ptr<const model::CrossEncoder> reranker_;
  model::ScoreOptions options_;
};

}  // namespace contrastive::mining
