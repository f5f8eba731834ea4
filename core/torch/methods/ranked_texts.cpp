#include "core/torch/methods/ranked_texts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "core/base/error.h"

namespace contrastive::methods {
namespace {

enum Column : size_t { kAnchors, kPositives, kNegatives };
constexpr const char* kNames[] = {"anchor", "positive", "negative"};
constexpr const char* kTextNames[] = {"anchor.text", "positive.text", "negative.text"};

// The first columns of the enumeration above.
Views views_of(const TunedEncoder& encoder, const data::Batch& batch,
               const std::vector<View>& columns) {
  const PackedViews packed(batch, columns);
  const at::Tensor vectors = encoder.apply_dense(encoder.forward(packed));
  Views views;
  for (size_t i = 0; i < columns.size(); ++i)
    views.vectors.push_back({kNames[i], vectors.narrow(0, packed.first_text(i), packed.texts(i))});
  for (size_t i = 0; i < columns.size(); ++i)
    views.vectors.push_back({kTextNames[i], text_identities(*columns[i].tokens)});
  views.tokens = packed.tokens().tokens();
  return views;
}

}  // namespace

std::vector<int64_t> negative_owners(const data::Batch& batch) {
  std::vector<int64_t> owners;
  for (size_t i = 0; i < batch.examples.size(); ++i)
    owners.insert(owners.end(), batch.examples[i].negatives.size(), static_cast<int64_t>(i));
  return owners;
}

RankedTexts::RankedTexts(const TunedEncoder& encoder, Prompt anchor, Prompt candidate,
                         bool negatives)
    : encoder_(encoder), anchor_(std::move(anchor)), candidate_(std::move(candidate)),
      negatives_(negatives) {}

RankedTexts::Texts RankedTexts::texts_of(const data::Batch& batch) const {
  Texts texts(3);
  for (const data::Example& example : batch.examples) {
    texts[kAnchors].push_back(example.a);
    if (example.has_b) texts[kPositives].push_back(example.b);
    if (negatives_)
      texts[kNegatives].insert(texts[kNegatives].end(), example.negatives.begin(),
                               example.negatives.end());
  }
  return texts;
}

void RankedTexts::tokenize(data::Batch& batch) const {
  const Texts texts = texts_of(batch);
  const std::vector<std::string_view>&anchors = texts[kAnchors], &positives = texts[kPositives],
        &negatives = texts[kNegatives];
  check(positives.empty() || positives.size() == anchors.size(), Status::kArgument,
        "a batch holds pairs or single texts, not both: ", positives.size(), " of its ",
        anchors.size(), " examples have a second text");
  batch.tokens = {encoder_.tokenize(anchors, anchor_)};
  if (positives.empty()) return;
  batch.tokens.push_back(encoder_.tokenize(positives, candidate_));
  if (negatives_) batch.tokens.push_back(encoder_.tokenize(negatives, candidate_));
}

Views RankedTexts::views(const data::Batch& batch) const {
  check(batch.tokens.size() > kPositives, Status::kArgument, "pairs are needed, but example ",
        random_example(batch, 0), " has one text only");
  std::vector<View> columns = {
      {&batch.tokens.at(kAnchors), kAnchors, {}, {}, anchor_.unpooled},
      {&batch.tokens.at(kPositives), kPositives, {}, {}, candidate_.unpooled}};
  if (negatives_)
    columns.push_back({&batch.tokens.at(kNegatives),
                       kNegatives,
                       {},
                       negative_owners(batch),
                       candidate_.unpooled});
  Views views = views_of(encoder_, batch, columns);
  if (anchor_.text == candidate_.text) return views;
  const Texts texts = texts_of(batch);  // tokens behind different prompts are never equal
  for (size_t i = 0; i < columns.size(); ++i)
    views.vectors[columns.size() + i].rows = text_identities(texts[i]);
  return views;
}

Views RankedTexts::anchors(const data::Batch& batch) const {
  return views_of(encoder_, batch,
                  {{&batch.tokens.at(kAnchors), kAnchors, {}, {}, anchor_.unpooled}});
}

at::Tensor ranked_loss(const Views& views, const data::Batch& batch,
                       const objectives::InBatchOptions& options, RepeatedTexts& repeated) {
  objectives::InBatchVectors in{views["anchor"], views["positive"]};
  const bool negatives = views.has("negative") && views["negative"].size(0) > 0;
  if (negatives) {
    in.negatives = views["negative"];
    in.owners = at::tensor(negative_owners(batch), at::kLong);
  }
  const at::Tensor& anchor_ids = views["anchor.text"];
  const bool own = !views.has("positive.text");  // the positive is the text itself
  repeated.masked(own ? anchor_ids
                      : at::cat({anchor_ids, views["positive.text"], views["negative.text"]}),
                  anchor_ids.size(0), options.false_negatives);
  if (options.false_negatives == objectives::FalseNegatives::kMask) {
    in.anchor_ids = anchor_ids;
    in.positive_ids = own ? anchor_ids : views["positive.text"];
    if (negatives) in.negative_ids = views["negative.text"];
  }
  if (views.has(kGuideVectors[0])) {
    in.anchor_guides = views[kGuideVectors[0]];
    in.positive_guides = views[kGuideVectors[1]];
    if (negatives) in.negative_guides = views[kGuideVectors[2]];
  }
  return objectives::in_batch_loss(in, options);
}

}  // namespace contrastive::methods
