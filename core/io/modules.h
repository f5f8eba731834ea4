// The files by which sentence-transformers says what follows the transformer: modules.json, the
// modules' own config.json and config_sentence_transformers.json. Old layouts, old keys and today's
// are read; what is unknown is refused, never guessed.
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
  std::string activation;   // as DenseModule names it
  bool normalizes = false;  // a Normalize module stands before it
};

struct ModuleList {
  std::string transformer_folder;  // where config.json, weights and tokenizer lie
  bool is_static =
      false;  // it holds no transformer, but static embeddings; then the pooling is their mean
  bool listed = false;    // there is a modules.json
  PoolingConfig pooling;  // its list is empty without a Pooling module
  std::vector<DenseConfig> dense;
  bool normalize = false;
  std::vector<std::string> files;  // that were read
};

// `folder` with modules.json, or a plain Hugging Face folder (then only transformer_folder is set).
// kUnsupported names a foreign module, kFormat a path that leaves the folder or an order of modules
// that makes no sentence embedding.
ModuleList read_modules(const std::string& folder, std::vector<std::string>& notes);

struct PromptConfig {
  std::map<std::string, std::string> prompts;
  std::string default_prompt_name;
  std::string similarity = "cosine";
  int64_t truncate_dim = 0;      // 0: not stated
  std::string activation_class;  // activation_fn of a reranker; "": not stated
  std::string file;              // "" without one
};
// `kind`: what model_type must be, where it is stated: "SentenceTransformer" or "CrossEncoder".
PromptConfig read_prompt_config(const std::string& folder, std::vector<std::string>& notes,
                                const char* kind = "SentenceTransformer");

// What a Dense module may apply: "tanh", "relu", ...
std::vector<std::string> dense_activations();

// "torch.nn.modules.activation.Tanh", or "torch.nn.Tanh", <-> "tanh".
std::string activation_from_class(const std::string& class_name, const std::string& source);
std::string activation_to_class(const std::string& activation);

}  // namespace contrastive::io
