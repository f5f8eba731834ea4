// Complete model folders, including static embeddings and adapters: loads the files of a fixture
// with edits, embeds, saves and loads again.
#include <contrastive/contrastive.h>

#include <cmath>

#include "core/io/adapter.h"
#include "core/io/model_folder.h"
#include "tests/fuzz/folders.h"

namespace contrastive::fuzz {
namespace {

// Files that a folder may have but the fixture does not; an edit may add them.
const std::vector<std::string> kKnown = {"added_tokens.json",
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
const std::vector<std::string> kFolders = {
    "models/bert_bf16",    "models/bert_st_old", "models/bert_st",         "models/roberta_sharded",
    "models/roberta_hf",   "kinds/unigram",      "kinds/sentencepiece",    "kinds/gemma_bpe",
    "kinds/qwen_bpe",      "families/albert",    "families/albert_groups", "families/camembert",
    "families/distilbert", "families/electra",   "families/gemma3_causal", "families/gte",
    "families/modernbert", "families/mpnet",     "families/nomic_bert",    "families/t5",
    "families/t5_gated"};

cs_status embed(const cs_model* model, const cs_encode_options& options,
                std::vector<float>& vectors) {
  static const char* const kTexts[] = {"the quick brown fox", "",
                                       "Jumps over\xc3\xa9 <mask> [MASK] 12, a b c d e f g h i j k "
                                       "l m n o p q r s t u v w x y z the"};
  constexpr int64_t kCount = std::size(kTexts);
  cs_error* error = nullptr;
  const int32_t dimension = cs_encode_dimension(model, &options, &error);
  const cs_status known = settle(error);
  if (dimension < 0) return known;
  vectors.assign(static_cast<size_t>(kCount * dimension), 0);
  const cs_status status = cs_encode(model, kTexts, nullptr, kCount, &options, vectors.data(),
                                     static_cast<int64_t>(vectors.size()), &error);
  expect(settle(error) == status, "the status is not the error's");
  if (status == CS_OK) {
    for (const float value : vectors) expect(std::isfinite(value), "a vector that is not finite");
  }
  return status;
}

// Saves an accepted model, loads it with `config`, and checks that it gives the same vectors.
void use(cs_model* model, const MemoryFolder& folder, const cs_encode_options& options,
         const cs_config* config) {
  cs_error* error = nullptr;
  char* info = cs_model_info(model, &error);
  settle(error);
  expect(info != nullptr, "a model without a description");
  cs_string_free(info);
  std::vector<int32_t> ids(20);
  int32_t count = 0;
  cs_tokenize(model, "one text", 8, 0, ids.data(), nullptr, nullptr,
              static_cast<int64_t>(ids.size()), &count, &error);
  cs_error_free(error);  // there may be more tokens than room
  error = nullptr;
  std::vector<float> before, after;
  const cs_status status = embed(model, options, before);
  const std::string saved = folder / "saved";
  cs_model_save(model, saved.c_str(), &error);
  if (settle(error) != CS_OK) violated("a model that was loaded cannot be saved");
  cs_model* again = cs_model_load(saved.c_str(), config, &error);
  const std::string message = error == nullptr ? "" : cs_error_message(error);
  settle(error);
  if (again == nullptr) violated("the saved model cannot be loaded: " + message);
  expect(embed(again, options, after) == status, "the saved model gives another status");
  cs_model_free(again);
  const bool equal =
      before.size() == after.size() &&
      (before.empty() || std::memcmp(before.data(), after.data(), 4 * before.size()) == 0);
  expect(status != CS_OK || equal, "the saved model gives other vectors");
}

// Loads the folder and uses the model. `config_text`: the keys of cs_model_load. `merges`: the
// saved weights include the adapter.
void load_and_use(const MemoryFolder& folder, const std::string& path,
                  const std::string& config_text, const cs_encode_options& options,
                  bool merges = false) {
  const int64_t handles = cs_live_handles();
  cs_error* error = nullptr;
  cs_config* config = cs_config_parse(config_text.c_str(), &error);
  expect(config != nullptr, "the keys are not a config");
  cs_model* model = cs_model_load(path.c_str(), config, &error);
  settle(error);
  if (model != nullptr) use(model, folder, options, merges ? nullptr : config);
  cs_model_free(model);
  cs_config_free(config);
  expect(cs_live_handles() == handles, "handles are left");
}

void edit_all(Files& files, const std::vector<std::string>& parts,
              const std::vector<std::string>& known) {
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].empty()) edit(files, parts[i], known);
  }
}

}  // namespace

// The input: the fixture, how it is loaded and used, and edits of its files.
FUZZ_TARGET(model_folder) {
  constexpr size_t kEdits = 6;
  static const char* const kConfigs[] = {
      "{\"pooling\": \"mean\"}", "{}",
      "{\"pooling\": \"cls\", \"allow_non_finite\": true, \"memory_map\": true}"};
  static const std::vector<Files> fixtures = fixture_folders(kFolders);
  const auto parts = pieces(bytes, 1 + kEdits);
  Numbers how(parts[0]);
  Files files = fixtures[how.byte() % fixtures.size()];
  const char* const config_text = kConfigs[how.byte() % std::size(kConfigs)];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.max_length = static_cast<int32_t>(how.below(30));
  const std::string prompt_name(how.text());
  if (!prompt_name.empty()) options.prompt_name = prompt_name.c_str();
  edit_all(files, parts, kKnown);
  const MemoryFolder folder;
  load_and_use(folder, write_files(folder, "model", files), config_text, options);
}

// The same for tables of token vectors, as model2vec and sentence-transformers write them.
FUZZ_TARGET(static_folder) {
  static const char* const kConfigs[] = {"{}", "{\"memory_map\": true}",
                                         "{\"allow_non_finite\": true}"};
  static const std::vector<Files> fixtures =
      fixture_folders({"../golden/static/model2vec", "../golden/static/quantized",
                       "../golden/static/sentence_transformers"});
  const auto parts = pieces(bytes, 5);
  Numbers how(parts[0]);
  Files files = fixtures[how.byte() % fixtures.size()];
  const char* const config_text = kConfigs[how.byte() % std::size(kConfigs)];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.max_length = static_cast<int32_t>(how.below(30));
  edit_all(files, parts,
           {"config.json", "model.safetensors", "modules.json", "tokenizer.json",
            "1_Normalize/config.json", "1_Dense/config.json"});
  const MemoryFolder folder;
  load_and_use(folder, write_files(folder, "model", files), config_text, options);
}

// An adapter next to its model. An accepted one must be equal after it is saved and read again.
FUZZ_TARGET(adapter) {
  static const std::vector<Files> fixtures = fixture_folders({"../golden/lora/adapter"});
  static const std::string model = std::string(CONTRASTIVE_FIXTURES) + "/models/bert_st";
  static const encoder::Architecture shape = io::read_model_shape(model);
  Files files = fixtures[0];
  edit_all(files, pieces(bytes, 5), {"adapter_config.json", "adapter_model.safetensors"});
  const MemoryFolder folder;
  const std::string path = write_files(folder, "adapter", files);
  io::Adapter adapter;
  const bool ok = accepted([&] { adapter = io::read_adapter(path, shape); },
                           {Status::kNotFound, Status::kNumeric});
  load_and_use(folder, model, "{\"adapter\": \"" + path + "\"}", CS_ENCODE_OPTIONS_INIT, true);
  if (!ok) return;
  expect(adapter.rank >= 1 && std::isfinite(adapter.scale()) && !adapter.modules.empty(),
         "an adapter of nothing was accepted");
  const std::string copy = write_files(folder, "copy", {});
  io::write_adapter(copy, adapter, shape);
  const io::Adapter again = io::read_adapter(copy, shape);
  bool equal = again.rank == adapter.rank && again.alpha == adapter.alpha &&
               again.dropout == adapter.dropout && again.base == adapter.base &&
               again.rank_stabilized == adapter.rank_stabilized &&
               again.base_digest == adapter.base_digest &&
               again.modules.size() == adapter.modules.size();
  for (size_t i = 0; equal && i < again.modules.size(); ++i) {
    equal = again.modules[i].place.module == adapter.modules[i].place.module &&
            again.modules[i].a == adapter.modules[i].a &&
            again.modules[i].b == adapter.modules[i].b;
  }
  expect(equal, "an adapter differs after it was written and read again");
}

}  // namespace contrastive::fuzz
