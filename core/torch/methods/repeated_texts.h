// Texts that occur in a batch more than once. As columns of each other they are false negatives:
// methods keep or mask them (core/torch/methods/README.md 1.2), and warn once a run.
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
// The same by the bytes of the texts, for texts whose tokens begin with different prompts.
at::Tensor text_identities(const std::vector<std::string_view>& texts);

class RepeatedTexts {
 public:
  explicit RepeatedTexts(std::string key)
      : key_(std::move(key)) {}  // the config key to name in the warning: "clsr.false_negatives"

  // The text_ids for nt_xent(): `ids` if repeated texts are masked, an undefined tensor if they are
  // kept. Row i belongs to example i mod `examples`; the views of one example are equal, which does
  // not count as a repetition.
  at::Tensor masked(const at::Tensor& ids, int64_t examples, objectives::FalseNegatives policy);

 private:
  std::string key_;
  bool warned_ = false;
};

}  // namespace contrastive::methods
