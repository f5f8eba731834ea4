// The keys that the files of a model folder may contain, and the effect of each. All files share
// one table: readers refuse keys by it, `contrastive inspect` reports by it, and README.md of this
// folder prints it. tests/golden/keys/inventory.py takes the keys from the sources of
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
  const char* harmless;  // JSON: the list of values that change nothing; null is always one of them
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

// Whether the table has `key` for `file`.
bool is_stated_key(std::string_view file, const std::string& key);

// Throws kUnsupported "<source>: <key> is <value>: <advice>" for a refused key with a value that is
// not harmless. A key that is neither in the table nor in `read` is added to `notes` and logged as
// a warning. `read`: the keys that the reader of this object has read.
void check_stated_keys(std::string_view file, const Json& object, const std::string& source,
                       std::vector<std::string>& notes, const std::set<std::string>& read = {});

// The same for a file in which unknown keys are refused too, unless their value turns nothing on:
// null, false, or an empty list or object.
void check_only_stated_keys(std::string_view file, const Json& object, const std::string& source,
                            const char* advice);

// The table in Markdown, as in README.md of this folder.
std::string stated_keys_table();

}  // namespace contrastive::io
