// A guide that is a second encoder: scores a query and a document by the similarity of its vectors.
// Each text is embedded once.
#pragma once

#include <memory>
#include <string>

#include "core/mining/guide.h"
#include "core/mining/mining_encoder.h"

namespace contrastive::mining {

class EncoderGuide : public Guide {
 public:
  // `folder` keeps the vectors.
  EncoderGuide(MiningEncoder encoder, retrieval::Metric metric, std::string folder);
  ~EncoderGuide() override;
  void score(const TextTable& queries, const TextTable& documents,
             const std::vector<GuideQuestion>& questions, const Cancel* cancel) override;

 private:
  MiningEncoder encoder_;
  retrieval::Metric metric_;
  std::string folder_;
  std::unique_ptr<VectorTable> queries_, documents_;  // made by the first call
};

}  // namespace contrastive::mining
