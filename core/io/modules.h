// The files in which sentence-transformers describes the modules after the transformer:
// modules.json, the modules' own config.json, and config_sentence_transformers.json. Reads old and
// new layouts and keys. Refuses what it does not know and never guesses.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/io/pooling_config.h"

namespace contrastive::io {

struct DenseConfig {
  std::string folder;
  int64_t in_features = 0;
  int64_t out_features = 0;
  bool bias = true;
  std::string activation;   // as in DenseModule
  bool normalizes = false;  // a Normalize module comes before it
};

struct ModuleList {
  std::string transformer_folder;  // contains config.json, the weights and the tokenizer
  bool is_static =
      false;  // it has no transformer, but static embeddings; then the pooling is their mean
  bool listed = false;    // modules.json exists
  PoolingConfig pooling;  // its list is empty without a Pooling module
  std::vector<DenseConfig> dense;
  bool normalize = false;
  std::vector<std::string> files;  // that were read
};

// Reads a `folder` with modules.json, or a plain Hugging Face folder (then only transformer_folder
// is set). Throws kUnsupported, which names an unknown module, and kFormat for a path that leaves
// the folder or an order of modules that gives no sentence embedding.
ModuleList read_modules(const std::string& folder, std::vector<std::string>& notes);

struct PromptConfig {
  std::map<std::string, std::string> prompts;
  std::string default_prompt_name;
  std::string similarity = "cosine";
  int64_t truncate_dim = 0;      // 0 if absent
  std::string activation_class;  // activation_fn of a reranker; "" if absent
  std::string file;              // "" without one
};
// `kind`: the required model_type, if the file has one: "SentenceTransformer" or "CrossEncoder".
PromptConfig read_prompt_config(const std::string& folder, std::vector<std::string>& notes,
                                const char* kind = "SentenceTransformer");

// The activations that a Dense module may have: "tanh", "relu", ...
std::vector<std::string> dense_activations();

// Converts "torch.nn.modules.activation.Tanh", or "torch.nn.Tanh", <-> "tanh".
std::string activation_from_class(const std::string& class_name, const std::string& source);
std::string activation_to_class(const std::string& activation);

}  // namespace contrastive::io
