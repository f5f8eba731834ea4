// Masking for masked language modelling: which tokens of a text must be predicted, and what
// replaces them (Devlin et al., 2019; core/torch/methods/clear/README.md 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/base/rng.h"
#include "core/text/token_roles.h"

namespace contrastive::data {

struct MlmOptions {
  double rate = 0.15;         // the share of tokens that are chosen
  double mask_share = 0.8;    // the share of chosen tokens that become the mask token
  double random_share = 0.1;  // the share that becomes a random token; the rest stay unchanged
  bool include_special = false;

  void visit(OptionVisitor& v);
  // Throws kArgument for shares above 1, and names the keys with `prefix`.
  void validate(const std::string& prefix) const;
};

struct MaskedText {
  std::vector<int32_t> ids;        // as long as the text
  std::vector<int64_t> positions;  // the chosen positions, in ascending order
  std::vector<int64_t> labels;     // [positions] the original ids
};

// Chooses int(rate * n + u) of the n candidates without replacement: all tokens that represent
// text, or every token with include_special. Chooses at least one if there is a candidate, so that
// a batch of short texts has something to predict.
MaskedText mask_text(const int32_t* ids, int64_t length, const MlmOptions& options,
                     const text::TokenRoles& roles, Rng& rng);

}  // namespace contrastive::data
