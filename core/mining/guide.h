// The interface of a guide: a second model that scores candidates. It is a second encoder
// (encoder_guide.h), or a reranker, which reads both texts together (reranker_guide.h).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/mining/text_table.h"

namespace contrastive::mining {

// Documents to be scored with one query.
struct GuideQuestion {
  int64_t query;
  std::vector<int64_t> documents;
  float* scores;  // [documents], the output: larger means a better answer
};

class Guide {
 public:
  virtual ~Guide() = default;
  // Scores some thousand pairs. The tables contain the texts for the numbers in the questions; they
  // are the same in every call.
  virtual void score(const TextTable& queries, const TextTable& documents,
                     const std::vector<GuideQuestion>& questions, const Cancel* cancel) = 0;
};

}  // namespace contrastive::mining
