// The texts of a batch as in-batch ranking sees them: an anchor and its positive for each example,
// and any number of hard negatives. What the methods on pairs have in common: tokens in, one packed
// forward pass, vectors for objectives::in_batch_loss() out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/torch/methods/repeated_texts.h"
#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/objectives/in_batch.h"

namespace contrastive::methods {

// The vectors of RankedTexts::views() that a model gives for texts, as
// MethodTraits::sentence_vectors has them.
inline const std::vector<std::string> kRankedVectors = {"anchor", "positive", "negative"};

// Which example of the batch each hard negative belongs to, in the order of the examples:
// [negatives].
std::vector<int64_t> negative_owners(const data::Batch& batch);

class RankedTexts {
 public:
  // Without `negatives` those of the examples are left out.
  RankedTexts(const TunedEncoder& encoder, Prompt anchor, Prompt candidate, bool negatives = true);

  // batch.tokens = {anchors a, positives b, negatives}; without positives {anchors}. kArgument
  // where only some of the examples have a text b.
  void tokenize(data::Batch& batch) const;
  // The vectors of a tokenised batch of pairs from one packed pass: "anchor", "positive",
  // "negative", and the ids of their texts, "anchor.text", ...
  Views views(const data::Batch& batch) const;
  // The same of a batch whose second texts and negatives do not count, or are not there: "anchor"
  // and "anchor.text".
  Views anchors(const data::Batch& batch) const;

 private:
  using Texts = std::vector<std::vector<std::string_view>>;  // anchors, positives, negatives
  Texts texts_of(const data::Batch& batch) const;

  const TunedEncoder& encoder_;
  Prompt anchor_, candidate_;
  bool negatives_;
};

// What a guide model makes of the same texts, under these names beside them where there is one.
inline constexpr const char* kGuideVectors[] = {"anchor.guide", "positive.guide", "negative.guide"};

// The loss of such vectors for the examples of `batch`; "anchor", "positive" and "anchor.text" will
// do where the positive is the text itself. `repeated` says once a run that texts repeat.
at::Tensor ranked_loss(const Views& views, const data::Batch& batch,
                       const objectives::InBatchOptions& options, RepeatedTexts& repeated);

}  // namespace contrastive::methods
