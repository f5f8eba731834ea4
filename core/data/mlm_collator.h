// Masked language modelling: which tokens of a text are to be predicted, and what is shown in their
// place (Devlin et al., 2019; core/torch/methods/clear/README.md 2).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/options.h"
#include "core/base/rng.h"
#include "core/text/token_roles.h"

namespace contrastive::data {

struct MlmOptions {
  double rate = 0.15;         // of the tokens are chosen
  double mask_share = 0.8;    // of the chosen become the mask token
  double random_share = 0.1;  // another share a random token; the rest stay as they are
  bool include_special = false;

  void visit(OptionVisitor& v);
  // kArgument for shares above 1, naming the keys behind `prefix`.
  void validate(const std::string& prefix) const;
};

struct MaskedText {
  std::vector<int32_t> ids;        // as long as the text
  std::vector<int64_t> positions;  // in rising order: the chosen ones
  std::vector<int64_t> labels;     // [positions] the ids that stood there
};

// int(rate * n + u) of the n tokens that may be chosen, without replacement: all that stand for
// text, or every token with include_special. At least one where there is any: a batch of short
// texts has something to predict.
MaskedText mask_text(const int32_t* ids, int64_t length, const MlmOptions& options,
                     const text::TokenRoles& roles, Rng& rng);

}  // namespace contrastive::data
