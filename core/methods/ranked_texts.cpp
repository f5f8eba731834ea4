#include "core/methods/ranked_texts.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/tensor.h>

#include "core/base/error.h"

namespace contrastive::methods {
namespace {

enum Column : size_t { kAnchors, kPositives, kNegatives };

// As sentence-transformers counts: the prompt alone with its special tokens, less the one that closes it.
int64_t count_tokens(const text::Tokenizer& tokenizer, const std::string& prompt) {
  const text::Encoding encoded = tokenizer.encode(prompt, 0);
  const auto count = static_cast<int64_t>(encoded.ids.size());
  return count > 0 && tokenizer.is_special(encoded.ids.back()) ? count - 1 : count;
}

}  // namespace

Prompt::Prompt(std::string prompt, const model::SentenceEncoder& model) : text(std::move(prompt)) {
  if (!text.empty() && !model.folder().include_prompt) unpooled = count_tokens(model.tokenizer(), text);
}

std::string default_prompt(const model::SentenceEncoder& model) {
  const io::ModelFolder& folder = model.folder();
  const auto found = folder.prompts.find(folder.default_prompt_name);
  return folder.default_prompt_name.empty() || found == folder.prompts.end() ? "" : found->second;
}

text::TokenBatch tokenize_column(const TunedEncoder& encoder, const std::vector<std::string_view>& texts, const Prompt& prompt) {
  if (prompt.text.empty()) return encoder.tokenize(texts);
  std::vector<std::string> prompted;
  for (const std::string_view text : texts) prompted.push_back(prompt.text + std::string(text));
  return encoder.tokenize({prompted.begin(), prompted.end()});
}

std::vector<int64_t> negative_owners(const data::Batch& batch) {
  std::vector<int64_t> owners;
  for (size_t i = 0; i < batch.examples.size(); ++i) owners.insert(owners.end(), batch.examples[i].negatives.size(), static_cast<int64_t>(i));
  return owners;
}

RankedTexts::RankedTexts(const TunedEncoder& encoder, Prompt anchor, Prompt candidate)
    : encoder_(encoder), anchor_(std::move(anchor)), candidate_(std::move(candidate)) {}

void RankedTexts::tokenize(data::Batch& batch) const {
  std::vector<std::string_view> anchors, positives, negatives;
  for (const data::Example& example : batch.examples) {
    anchors.push_back(example.a);
    if (example.has_b) positives.push_back(example.b);
    negatives.insert(negatives.end(), example.negatives.begin(), example.negatives.end());
  }
  check(positives.empty() || positives.size() == anchors.size(), Status::kArgument, "a batch holds pairs or single texts, not both: ",
        positives.size(), " of its ", anchors.size(), " examples have a second text");
  batch.tokens = {tokenize_column(encoder_, anchors, anchor_)};
  if (positives.empty()) return;
  batch.tokens.push_back(tokenize_column(encoder_, positives, candidate_));
  batch.tokens.push_back(tokenize_column(encoder_, negatives, candidate_));
}

Views RankedTexts::views(const data::Batch& batch) const {
  check(batch.tokens.size() > kPositives, Status::kArgument, "pairs are needed, but example ", random_example(batch, 0), " has one text only");
  const std::vector<View> columns = {{&batch.tokens.at(kAnchors), kAnchors, {}, {}, anchor_.unpooled},
                                     {&batch.tokens.at(kPositives), kPositives, {}, {}, candidate_.unpooled},
                                     {&batch.tokens.at(kNegatives), kNegatives, {}, negative_owners(batch), candidate_.unpooled}};
  const PackedViews packed(batch, columns);
  const at::Tensor vectors = encoder_.apply_dense(encoder_.forward(packed));
  Views views;
  for (size_t i = 0; i < columns.size(); ++i) views.vectors.push_back(vectors.narrow(0, packed.first_text(i), packed.texts(i)));
  for (const View& column : columns) views.vectors.push_back(text_identities(*column.tokens));
  views.tokens = packed.tokens().tokens();
  return views;
}

at::Tensor ranked_loss(const std::vector<at::Tensor>& vectors, const data::Batch& batch, const objectives::InBatchOptions& options,
                       RepeatedTexts& repeated) {
  const size_t columns = vectors.size() / 2;
  const std::vector<at::Tensor> ids(vectors.begin() + static_cast<std::ptrdiff_t>(columns), vectors.end());
  objectives::InBatchVectors in{vectors[kAnchors], vectors[kPositives]};
  const bool negatives = columns > kNegatives && vectors[kNegatives].size(0) > 0;
  if (negatives) {
    in.negatives = vectors[kNegatives];
    in.owners = at::tensor(negative_owners(batch), at::kLong);
  }
  // Where the positive is the text itself, one column of ids says it all.
  repeated.masked(columns > kNegatives ? at::cat(ids) : ids[kAnchors], ids[kAnchors].size(0), options.false_negatives);
  if (options.false_negatives == objectives::FalseNegatives::kMask) {
    in.anchor_ids = ids[kAnchors];
    in.positive_ids = ids[kPositives];
    if (negatives) in.negative_ids = ids[kNegatives];
  }
  return objectives::in_batch_loss(in, options);
}

}  // namespace contrastive::methods
