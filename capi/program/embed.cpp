#include "capi/program/embed.h"

#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/signals.h"

namespace contrastive::cli {

cs_encode_options EmbedArguments::options() const {
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.normalize = normalize ? 1 : no_normalize ? 0 : -1;
  options.pooling = pooling.empty() ? nullptr : pooling.c_str();
  options.prompt = prompt ? prompt->c_str() : nullptr;
  options.prompt_name = prompt_name.empty() ? nullptr : prompt_name.c_str();
  options.truncate_dim = truncate_dim;
  options.max_length = max_length;
  options.batch_tokens = batch_tokens;
  options.cancel = cancel_flag();
  return options;
}

void add_embed_options(CLI::App* verb, EmbedArguments& arguments) {
  CLI::Option* yes = verb->add_flag("--normalize", arguments.normalize,
                                    "give vectors unit length; default: as the model says");
  verb->add_flag("--no-normalize", arguments.no_normalize, "do not give vectors unit length")
      ->excludes(yes);
  add_option(verb, "--truncate-dim", arguments.truncate_dim, "keep the first dimensions only")
      ->check(CLI::Range(1, 1 << 24));
  add_option(verb, "--max-length", arguments.max_length,
             "tokens of a text; longer texts are cut; default: the model's limit")
      ->check(CLI::Range(1, 1 << 24));
  add_option(verb, "--batch-tokens", arguments.batch_tokens,
             "tokens in one internal batch; fewer take less memory")
      ->check(CLI::Range(1, 1 << 30));
  CLI::Option* prompt = add_option(
      verb, "--prompt", arguments.prompt,
      "text put before every text; \"\" for none; default: the model's own, if it has one");
  add_option(verb, "--prompt-name", arguments.prompt_name, "one of the model's own prompts")
      ->excludes(prompt);
}

Embedder::Embedder(const cs_model* model, const EmbedArguments& arguments)
    : model_(model), options_(arguments.options()) {
  Outcome outcome;
  dimension_ = cs_encode_dimension(model, &options_, outcome);
  outcome.check();
  max_length_ = cs_model_max_length(model);
  if (options_.max_length > 0) max_length_ = options_.max_length;
}

void Embedder::embed(const TextBlock& block, std::vector<float>& embeddings,
                     std::vector<int32_t>& token_counts) const {
  embeddings.resize(static_cast<size_t>(block.size()) * static_cast<size_t>(dimension_));
  token_counts.resize(static_cast<size_t>(block.size()));
  cs_encode_options options = options_;
  options.token_counts = token_counts.data();
  Outcome outcome;
  const auto room = static_cast<int64_t>(embeddings.size());
  cs_encode_packed(model_, block.data.data(), block.offsets.data(), block.size(), &options,
                   embeddings.data(), room, outcome);
  outcome.check();
}

std::vector<float> Embedder::embed(const TextBlock& block) const {
  std::vector<float> embeddings;
  std::vector<int32_t> token_counts;
  embed(block, embeddings, token_counts);
  return embeddings;
}

}  // namespace contrastive::cli
