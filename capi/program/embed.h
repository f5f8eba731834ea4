// Embedding for the verbs: the command line options, and texts in one packed buffer.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capi/program/failure.h"
#include "capi/program/handle.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

// Texts one after the other in one buffer, as cs_encode_packed takes them.
struct TextBlock {
  std::string data;
  std::vector<int32_t> offsets{0};

  void add(const std::string& text) {
    if (data.size() + text.size() > INT32_MAX)
      throw Failure(kExitData, "LIMIT",
                    "the texts have more than 2 GB in total: use fewer texts in one call");
    data += text;
    offsets.push_back(static_cast<int32_t>(data.size()));
  }
  int64_t size() const { return static_cast<int64_t>(offsets.size()) - 1; }
  std::string text(int64_t i) const {
    return data.substr(static_cast<size_t>(offsets[i]),
                       static_cast<size_t>(offsets[i + 1] - offsets[i]));
  }
  void clear() {
    data.clear();
    offsets.assign(1, 0);
  }
};

// The command line options that fill cs_encode_options.
struct EmbedArguments {
  std::string pooling, prompt_name;
  std::optional<std::string> prompt;
  int truncate_dim = 0, max_length = 0, batch_tokens = 0;
  bool normalize = false, no_normalize = false;

  cs_encode_options options() const;  // points into this struct
};
void add_embed_options(CLI::App* verb, EmbedArguments& arguments);

class Embedder {
 public:
  // `arguments` must outlive this.
  Embedder(const cs_model* model, const EmbedArguments& arguments);

  int32_t dimension() const { return dimension_; }
  // The number of tokens after which a text is truncated.
  int32_t max_length() const { return max_length_; }
  // Sets `embeddings` to [block.size(), dimension()], and `token_counts` to the number of tokens of
  // each text before truncation.
  void embed(const TextBlock& block, std::vector<float>& embeddings,
             std::vector<int32_t>& token_counts) const;
  std::vector<float> embed(const TextBlock& block) const;

 private:
  const cs_model* model_;
  cs_encode_options options_;
  int32_t dimension_ = 0, max_length_ = 0;
};

}  // namespace contrastive::cli
