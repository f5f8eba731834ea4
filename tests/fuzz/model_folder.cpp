// Whole model folders: the files of a fixture with edits, loaded, asked for embeddings, saved and loaded again.
#include <contrastive/contrastive.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>

#include "tests/fuzz/edits.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

using Files = std::map<std::string, std::string>;  // path in the folder -> bytes

// Files that a folder may have and the fixture does not: an edit may bring them.
constexpr const char* kKnown[] = {"added_tokens.json",
                                  "config.json",
                                  "merges.txt",
                                  "model.safetensors",
                                  "model.safetensors.index.json",
                                  "modules.json",
                                  "special_tokens_map.json",
                                  "tokenizer.json",
                                  "tokenizer_config.json",
                                  "vocab.json",
                                  "vocab.txt",
                                  "1_Pooling/config.json",
                                  "2_Dense/config.json",
                                  "2_Dense/model.safetensors",
                                  "config_sentence_transformers.json",
                                  "sentence_bert_config.json",
                                  "sentencepiece.bpe.model",
                                  "spiece.model"};

// Folders of tests/fixtures: layouts, kinds of tokenizers, families.
constexpr const char* kFolders[] = {"models/bert_bf16",    "models/bert_st_old", "models/bert_st",         "models/roberta_sharded",
                                    "models/roberta_hf",   "kinds/unigram",      "kinds/sentencepiece",    "kinds/gemma_bpe",
                                    "kinds/qwen_bpe",      "families/albert",    "families/albert_groups", "families/camembert",
                                    "families/distilbert", "families/electra",   "families/gemma3_causal", "families/gte",
                                    "families/modernbert", "families/mpnet",     "families/nomic_bert",    "families/t5",
                                    "families/t5_gated"};

const Files& fixture_files(size_t number) {
  static const std::vector<Files> all = [] {
    std::vector<Files> folders;
    for (const std::string name : kFolders) {
      const std::string root = std::string(CONTRASTIVE_FIXTURES) + "/" + name;
      Files files;
      for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
        const std::string path = entry.path().string().substr(root.size() + 1);
        if (entry.is_regular_file() && path != "golden.json") files[path] = fixture(name + "/" + path);
      }
      folders.push_back(std::move(files));
    }
    return folders;
  }();
  return all[number % all.size()];
}

bool ends_in(const std::string& text, std::string_view end) {
  return text.size() >= end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

// File, kind, and what the kind takes.
void edit(Files& files, std::string_view bytes) {
  std::vector<std::string> names(std::begin(kKnown), std::end(kKnown));
  for (const auto& [name, content] : files) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  Numbers numbers(bytes);
  const std::string name = names[numbers.byte() % names.size()];
  const int64_t kind = numbers.below(7);
  const std::string_view what = numbers.rest();
  if (kind == 0) ends_in(name, ".safetensors") ? patch_header(files[name], what) : patch_json(files[name], what);
  if (kind == 1) splice(files[name], what);
  if (kind == 2) overwrite(files[name], what);
  if (kind == 3) cut(files[name], what);
  if (kind == 4) files[name] = what;
  if (kind == 5) files.erase(name);
  if (kind == 6) {
    const auto source = files.find(names[numbers.byte() % names.size()]);
    if (source != files.end()) files[name] = std::string(source->second);
  }
}

cs_status embed(const cs_model* model, const cs_encode_options& options, std::vector<float>& vectors) {
  static const char* const kTexts[] = {"the quick brown fox", "",
                                       "Jumps over\xc3\xa9 <mask> [MASK] 12, a b c d e f g h i j k l m n o p q r s t u v w x y z the"};
  constexpr int64_t kCount = std::size(kTexts);
  cs_error* error = nullptr;
  const int32_t dimension = cs_encode_dimension(model, &options, &error);
  const cs_status known = settle(error);
  if (dimension < 0) return known;
  vectors.assign(static_cast<size_t>(kCount * dimension), 0);
  const cs_status status = cs_encode(model, kTexts, nullptr, kCount, &options, vectors.data(), static_cast<int64_t>(vectors.size()), &error);
  expect(settle(error) == status, "another status than the error's");
  if (status == CS_OK) {
    for (const float value : vectors) expect(std::isfinite(value), "a vector that is no number");
  }
  return status;
}

// A folder that is accepted is written as one that gives the same vectors.
void use(cs_model* model, const MemoryFolder& folder, const cs_encode_options& options, const cs_config* config) {
  cs_error* error = nullptr;
  char* info = cs_model_info(model, &error);
  settle(error);
  expect(info != nullptr, "a model that cannot say what it is");
  cs_string_free(info);
  std::vector<int32_t> ids(20);
  int32_t count = 0;
  cs_tokenize(model, "one text", 8, 0, ids.data(), nullptr, nullptr, static_cast<int64_t>(ids.size()), &count, &error);
  cs_error_free(error);  // the tokens may be more than there is room for
  error = nullptr;
  std::vector<float> before, after;
  const cs_status status = embed(model, options, before);
  const std::string saved = folder / "saved";
  cs_model_save(model, saved.c_str(), &error);
  if (settle(error) != CS_OK) violated("a model that was loaded cannot be saved");
  cs_model* again = cs_model_load(saved.c_str(), config, &error);
  const std::string message = error == nullptr ? "" : cs_error_message(error);
  settle(error);
  if (again == nullptr) violated("what was saved cannot be loaded: " + message);
  expect(embed(again, options, after) == status, "what was saved answers differently");
  cs_model_free(again);
  const bool equal = before.size() == after.size() && (before.empty() || std::memcmp(before.data(), after.data(), 4 * before.size()) == 0);
  expect(status != CS_OK || equal, "what was saved gives other vectors");
}

}  // namespace

// The fixture, how it is loaded and asked, and edits of its files.
FUZZ_TARGET(model_folder) {
  constexpr size_t kEdits = 6;
  static const char* const kConfigs[] = {"{\"pooling\": \"mean\"}", "{}", "{\"pooling\": \"cls\", \"allow_non_finite\": true, \"memory_map\": true}"};
  const auto parts = pieces(bytes, 1 + kEdits);
  Numbers how(parts[0]);
  Files files = fixture_files(how.byte());
  const char* const config_text = kConfigs[how.byte() % std::size(kConfigs)];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.max_length = static_cast<int32_t>(how.below(30));
  const std::string prompt_name(how.text());
  if (!prompt_name.empty()) options.prompt_name = prompt_name.c_str();
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].empty()) edit(files, parts[i]);
  }
  const MemoryFolder folder;
  folder.write("model/x", "");
  std::filesystem::remove(folder / "model/x");
  for (const auto& [name, content] : files) folder.write("model/" + name, content);
  const int64_t handles = cs_live_handles();
  cs_error* error = nullptr;
  cs_config* config = cs_config_parse(config_text, &error);
  cs_model* model = cs_model_load((folder / "model").c_str(), config, &error);
  settle(error);
  if (model != nullptr) use(model, folder, options, config);
  cs_model_free(model);
  cs_config_free(config);
  expect(cs_live_handles() == handles, "handles are left over");
}

}  // namespace contrastive::fuzz
