// Makes CLEAR's inputs from the tokens of a batch: masked texts with the tokens to predict, and two
// augmented views. Token ids only, no tensors.
#pragma once

#include <cstdint>
#include <vector>

#include "core/torch/augment/tokens/synonym_table.h"
#include "core/torch/methods/clear/clear.h"
#include "core/text/token_roles.h"

namespace contrastive::methods {

struct ClearBatch {
  // In the order in which they go through the encoder: the masked texts (twice with double-mlm),
  // then the two views, if there are any.
  std::vector<text::TokenBatch> texts;
  std::vector<int64_t> positions;  // places of the tokens to predict, counted over all `texts`
  std::vector<int64_t> labels;     // [positions]
  int64_t masked = 1;              // how many of `texts` are masked

  std::vector<View> views() const;  // of `texts`; numbered from 0
};

// The random draws are a function of (seed, epoch, example). Any thread may call this.
class ClearViews {
 public:
  // `rows`: rows of the word embeddings, to check a token id from the config. `max_length`: the
  // most ids that a view may have. kArgument if the vocabulary does not have the [DEL] or the mask
  // token.
  ClearViews(const ClearOptions& options, const text::Tokenizer& tokenizer, int64_t rows,
             int64_t max_length, uint64_t seed);

  // `texts` has one text for each example of `batch`, whose indices and epoch decide the draws.
  ClearBatch make(const data::Batch& batch, const text::TokenBatch& texts) const;
  int32_t del_id() const { return options_.views.del.id; }

 private:
  text::TokenBatch mask(const text::TokenBatch& texts, std::vector<Rng>& draws, int64_t first,
                        ClearBatch& made) const;
  text::TokenBatch augment(const data::Batch& batch, const text::TokenBatch& texts, int view) const;

  ClearOptions options_;
  text::TokenRoles roles_;
  augment::SynonymTable synonyms_;
  uint64_t seed_;
};

}  // namespace contrastive::methods
