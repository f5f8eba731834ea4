// check_replaceable_model: which folders a save may replace.
#include <algorithm>
#include <cerrno>
#include <iterator>
#include <string>

#include "core/base/error.h"
#include "core/base/temporary.h"
#include "core/io/atomic_folder.h"
#include "core/io/kept_readme.h"
#include "core/io/tokenizer_files.h"

namespace contrastive::io {
namespace {

bool is_numbered_module(const std::string& name) {
  const size_t digits = name.find_first_not_of("0123456789");
  if (digits == 0 || digits == std::string::npos) return false;
  const std::string rest = name.substr(digits);
  return rest == "_Transformer" || rest == "_StaticEmbedding" || rest == "_Pooling" ||
         rest == "_Dense" || rest == "_Normalize";
}

bool belongs_to_model_folder(const std::string& name) {
  static const char* const kKnown[] = {"modules.json",
                                       "config.json",
                                       "model.safetensors",
                                       "model.safetensors.index.json",
                                       "README.md",
                                       "config_sentence_transformers.json",
                                       "sentence_bert_config.json",
                                       "contrastive.json",
                                       ".gitattributes",
                                       "adapter",
                                       "training_state",
                                       "run.json",
                                       "metrics.jsonl"};
  const bool shard = name.rfind("model-", 0) == 0 && name.size() > 12 &&
                     name.compare(name.size() - 12, 12, ".safetensors") == 0;
  return shard || is_numbered_module(name) || is_tokenizer_file(name) ||
         std::find(std::begin(kKnown), std::end(kKnown), name) != std::end(kKnown);
}

}  // namespace

void check_replaceable_model(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries && errno == ENOENT) return;
  if (!entries) fail_system(folder, "cannot be listed", errno);
  std::string other;
  bool model = false, empty = true;
  while (const char* item = next_entry(entries.get(), folder)) {
    const std::string name = item;
    empty = empty && !target_of_temporary(name).empty();
    model = model || name == "modules.json" || name == "config.json";
    const std::string begun = target_of_temporary(name);  // a temporary left by a process that was
                                                          // killed while it wrote one of these
    const std::string& meant = begun.empty() ? name : begun;
    // A README of a person is kept if it is a file that can be copied. Anything else with that name
    // would be lost.
    const bool kept = is_kept_readme(meant) && is_regular_file(folder + "/" + name);
    if (other.empty() && !kept && !belongs_to_model_folder(meant)) other = name;
    if (name == "README.md") check_readme(folder + "/" + name);
  }
  check(other.empty(), Status::kArgument, folder, ": saving replaces the whole folder, and '",
        other, "' in it is not part of a model; choose another folder");
  check(empty || model, Status::kArgument, folder,
        ": is neither empty nor a model folder; choose another one");
}

}  // namespace contrastive::io
