#include "core/torch/methods/pair_method.h"

#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {

void PairPrompts::visit(OptionVisitor& v) {
  v.flag("default_prompt", default_prompt,
         "put the model's default prompt, if it has one, before texts for which anchor_prompt or "
         "candidate_prompt gives no other");
  v.text("anchor_prompt", anchor,
         "text put before every first text, for models that were trained with one, such as 'query: "
         "'; the new model has it as its prompt 'query'");
  v.text("candidate_prompt", candidate,
         "text put before every second text and hard negative, such as 'passage: '; the new model "
         "has it as its prompt 'document'");
}

TunedEncoderOptions whole_encoder(const char* prefix) {
  TunedEncoderOptions options;
  options.dense = DenseModules::kTrain;
  options.prefix = prefix;
  return options;
}

Config usual_training(int64_t batch_size, int64_t epochs) {
  Config config;
  config.set_json("batch_size", batch_size);
  config.set_json("epochs", epochs);
  config.set_json("lr", 2e-5);
  config.set_json("optimizer", "adamw");
  config.set_json("weight_decay", 0.01);
  config.set_json("schedule", "warmup-linear");
  config.set_json("warmup_ratio", 0.1);
  config.set_json("clip_norm", 1.0);
  return config;
}

PairMethod::PairMethod(const MethodContext& context, const TunedEncoderOptions& options,
                       const PairPrompts& prompts, bool negatives)
    : prompts_(prompts), encoder_(context, options),
      texts_(encoder_, prompt(prompts.anchor), prompt(prompts.candidate), negatives) {}

Prompt PairMethod::prompt(const std::string& own) const {
  const bool by_default = own.empty() && prompts_.default_prompt;
  return {by_default ? methods::default_prompt(encoder_.model()) : own, encoder_.model()};
}

Views PairMethod::views(const data::Batch& batch) {
  if (!batch.tokens.empty()) return texts_.views(batch);
  data::Batch tokenized = batch;
  tokenize(tokenized);
  return texts_.views(tokenized);
}

Views PairMethod::anchors(const data::Batch& batch) {
  if (!batch.tokens.empty()) return texts_.anchors(batch);
  data::Batch tokenized = batch;
  tokenize(tokenized);
  return texts_.anchors(tokenized);
}

at::Tensor PairMethod::finished(const at::Tensor& vectors) const {
  return encoder_.model().folder().normalize ? objectives::unit_rows(vectors) : vectors;
}

std::map<std::string, std::string> PairMethod::prompts() const {
  std::map<std::string, std::string> named;
  if (!prompts_.anchor.empty()) named["query"] = prompts_.anchor;
  if (!prompts_.candidate.empty()) named["document"] = prompts_.candidate;
  return named;
}

std::shared_ptr<model::Model> PairMethod::result(const tensors::TorchTensorMap& weights) const {
  std::shared_ptr<model::SentenceEncoder> result = encoder_.deliver(weights);
  std::map<std::string, std::string> named = result->folder().prompts;
  for (const auto& [name, text] : prompts()) named[name] = text;
  result->set_prompts(std::move(named));
  return result;
}

}  // namespace contrastive::methods
