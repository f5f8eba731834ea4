// Texts that stand in a batch more than once. As columns of each other they are false negatives:
// methods keep or mask them (core/torch/methods/README.md 1.2), and say so once a run.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>
#include <string_view>
#include <vector>

#include "core/torch/objectives/nt_xent.h"
#include "core/text/token_batch.h"

namespace contrastive::methods {

// A number for each text, equal for texts with the same token ids (after truncation): int64
// [texts].
at::Tensor text_identities(const text::TokenBatch& batch);
// The same for texts as they stand in the data, byte by byte: for those whose tokens begin with
// different prompts.
at::Tensor text_identities(const std::vector<std::string_view>& texts);

class RepeatedTexts {
 public:
  explicit RepeatedTexts(std::string key)
      : key_(std::move(key)) {}  // the config key to name in the warning: "clsr.false_negatives"

  // What nt_xent() takes as text_ids: `ids` where repeated texts are masked, an undefined tensor
  // where they are kept. Row i belongs to example i mod `examples`: that its own views are equal is
  // no repetition.
  at::Tensor masked(const at::Tensor& ids, int64_t examples, objectives::FalseNegatives policy);

 private:
  std::string key_;
  bool warned_ = false;
};

}  // namespace contrastive::methods
