// The texts of a batch for in-batch ranking: an anchor and its positive for each example, and any
// number of hard negatives. This is what the methods on pairs share: tokens in, one packed forward
// pass, vectors for objectives::in_batch_loss() out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/torch/methods/repeated_texts.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/in_batch.h"

namespace contrastive::methods {

// The names of those vectors of RankedTexts::views() that a model gives for texts, as in
// MethodTraits::sentence_vectors.
inline const std::vector<std::string> kRankedVectors = {"anchor", "positive", "negative"};

// Which example of the batch each hard negative belongs to, in the order of the examples:
// [negatives].
std::vector<int64_t> negative_owners(const data::Batch& batch);

class RankedTexts {
 public:
  // If `negatives` is false, the hard negatives of the examples are ignored.
  RankedTexts(const TunedEncoder& encoder, Prompt anchor, Prompt candidate, bool negatives = true);

  // Sets batch.tokens to {anchors a, positives b, negatives}, or {anchors} if there are no
  // positives. kArgument if only some of the examples have a text b.
  void tokenize(data::Batch& batch) const;
  // Returns the vectors of a tokenised batch of pairs from one packed pass ("anchor", "positive",
  // "negative"), and the ids of their texts ("anchor.text", ...).
  Views views(const data::Batch& batch) const;
  // The same for a batch whose second texts and negatives are ignored or missing: "anchor" and
  // "anchor.text".
  Views anchors(const data::Batch& batch) const;

 private:
  using Texts = std::vector<std::vector<std::string_view>>;  // anchors, positives, negatives
  Texts texts_of(const data::Batch& batch) const;

  const TunedEncoder& encoder_;
  Prompt anchor_, candidate_;
  bool negatives_;
};

// The names of a guide model's vectors for the same texts, if there is a guide.
inline constexpr const char* kGuideVectors[] = {"anchor.guide", "positive.guide", "negative.guide"};

// Returns the loss of such vectors for the examples of `batch`. If the positive is the text itself,
// "anchor", "positive" and "anchor.text" suffice. `repeated` warns once a run about repeated texts.
at::Tensor ranked_loss(const Views& views, const data::Batch& batch,
                       const objectives::InBatchOptions& options, RepeatedTexts& repeated);

}  // namespace contrastive::methods
