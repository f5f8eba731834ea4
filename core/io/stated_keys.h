// The keys that the files of a model folder may state, and what each does here. One table for all
// files: readers refuse by it, `contrastive inspect` reports by it, and README.md of this folder
// prints it. tests/golden/keys/inventory.py takes the keys from the sources of
// sentence-transformers, transformers, tokenizers and peft.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

// A key that would change the vectors in a way that this library does not compute.
struct RefusedKey {
  const char* key;
  const char* harmless;  // JSON: the list of values that change nothing; null is always one
  const char* advice;    // the rest of the error: what the value means, or what to do
};

// The advice for adapter_config.json, whose unknown keys are refused too.
constexpr const char* kPlainOnly =
    "only plain low-rank adapters are read, with scale alpha / r or (use_rslora) alpha / sqrt(r)";

struct StatedKeys {
  const char* file;          // "tokenizer_config.json", or "tokenizer.json: model" for a part
  std::string_view applied;  // keys, separated by spaces
  std::string_view without_effect;  // on embeddings and scores
  std::vector<RefusedKey> refused;
};

const std::vector<StatedKeys>& stated_keys();

// Whether the table lists `key` for `file`.
bool is_stated_key(std::string_view file, const std::string& key);

// kUnsupported "<source>: <key> is <value>: <advice>" for a refused key with a value that is not
// harmless. A key that is neither in the table nor in `read` is added to `notes` and logged as a
// warning. `read`: the keys that the reader of this object has asked for.
void check_stated_keys(std::string_view file, const Json& object, const std::string& source,
                       std::vector<std::string>& notes, const std::set<std::string>& read = {});

// The same of a file in which an unknown key is refused too, unless it asks for nothing: null,
// false, or an empty list or object.
void check_only_stated_keys(std::string_view file, const Json& object, const std::string& source,
                            const char* advice);

// The table in Markdown, as README.md of this folder holds it.
std::string stated_keys_table();

}  // namespace contrastive::io
