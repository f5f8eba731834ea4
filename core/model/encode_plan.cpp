#include "core/model/encode_plan.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {

namespace {

std::string choose_prompt(const io::ModelFolder& folder, const EncodeOptions& options) {
  if (options.prompt) return *options.prompt;
  const std::string& name =
      options.prompt_name.empty() ? folder.default_prompt_name : options.prompt_name;
  if (name.empty()) return "";
  const auto found = folder.prompts.find(name);
  if (found != folder.prompts.end()) return found->second;
  std::vector<std::string> known;
  for (const auto& [known_name, text] : folder.prompts) known.push_back(known_name);
  fail(Status::kArgument, unknown_name("prompt_name", name, known));
}

// Counts like sentence-transformers: the prompt alone with its special tokens, truncated like a
// text, minus the closing token.
int64_t count_prompt_tokens(const text::Tokenizer& tokenizer, const std::string& prompt,
                            int64_t max_length) {
  if (prompt.empty()) return 0;
  const text::Encoding encoded = tokenizer.encode(prompt, max_length);
  const auto count = static_cast<int64_t>(encoded.ids.size());
  return count > 0 && tokenizer.is_special(encoded.ids.back()) ? count - 1 : count;
}

int64_t width_after_dense(const io::ModelFolder& folder, int64_t width) {
  for (size_t i = 0; i < folder.dense.size(); ++i) {
    const int64_t wanted = folder.dense[i].weight.size(1);
    check(wanted == width, Status::kArgument, "the model's dense module ", i + 1, " takes ", wanted,
          " numbers, but the pooling gives ", width, ": choose a pooling of that width");
    width = folder.dense[i].weight.size(0);
  }
  return width;
}

}  // namespace

int64_t own_max_length(const io::ModelFolder& folder, const encoder::Architecture& shape) {
  const int64_t most = shape.max_tokens();
  return folder.max_seq_length == 0 ? most : std::min(most, folder.max_seq_length);
}

EncodePlan make_encode_plan(const io::ModelFolder& folder, const encoder::Encoder& encoder,
                            const EncodeOptions& options) {
  EncodePlan plan;
  const encoder::Architecture& shape = encoder.architecture();
  std::vector<std::string> names = folder.poolings;
  if (!options.pooling.empty()) names = {options.pooling};
  check(!names.empty(), Status::kArgument, kNoPooling);
  for (const std::string& name : names) {
    plan.poolings.push_back(encoder::parse_pooling(name, shape.num_hidden_layers));
    check(plan.poolings.back().reduce != encoder::Reduce::kClsPooler || encoder.has_pooler(),
          Status::kArgument, "pooling ", name,
          ": the checkpoint has no pooler.dense; use cls or mean");
  }
  plan.pooled_width = shape.hidden_size * static_cast<int64_t>(names.size());
  const int64_t full = width_after_dense(folder, plan.pooled_width);
  check(options.truncate_dim >= 0 && options.truncate_dim <= full, Status::kArgument,
        "truncate_dim is ", options.truncate_dim, ": the model's embeddings have ", full,
        " dimensions");
  const int64_t own = folder.truncate_dim == 0 ? full : std::min(folder.truncate_dim, full);
  plan.dimension = options.truncate_dim == 0 ? own : options.truncate_dim;
  check(options.normalize >= -1 && options.normalize <= 1, Status::kArgument, "normalize is ",
        options.normalize, ": use -1, 0 or 1");
  plan.normalize = options.normalize == -1 ? folder.normalize : options.normalize == 1;
  // The model's own truncation comes after its modules, as in sentence-transformers.
  plan.normalize_cut = plan.normalize && (options.truncate_dim > 0 || options.normalize == 1);

  const int64_t most = shape.max_tokens();
  check(options.max_length >= 0 && options.max_length <= most, Status::kArgument, "max_length is ",
        options.max_length, ": the encoder takes at most ", most,
        " tokens a text (0 means the model's own limit)");
  plan.max_length = options.max_length != 0 ? options.max_length : own_max_length(folder, shape);
  check(options.batch_tokens >= 0, Status::kArgument, "batch_tokens is ", options.batch_tokens,
        ": 0 (chosen) or more");
  plan.batch_tokens = options.batch_tokens;

  plan.prompt = choose_prompt(folder, options);
  if (!folder.include_prompt)
    plan.unpooled_tokens = count_prompt_tokens(*folder.tokenizer, plan.prompt, plan.max_length);
  plan.excluded_ids = options.exclude_ids;
  std::sort(plan.excluded_ids.begin(), plan.excluded_ids.end());
  return plan;
}

}  // namespace contrastive::model
