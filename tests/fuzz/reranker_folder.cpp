// Complete folders of rerankers: loads the files of a fixture with edits, scores, saves and loads
// again.
#include <contrastive/contrastive.h>

#include <cmath>
#include <memory>

#include "tests/fuzz/folders.h"

namespace contrastive::fuzz {
namespace {

const std::vector<std::string> kRerankers = {"rerankers/bert",    "rerankers/bert_labels",
                                             "rerankers/saved",   "rerankers/old",
                                             "rerankers/roberta", "rerankers/modernbert",
                                             "rerankers/electra", "rerankers/distilbert",
                                             "rerankers/gte",     "rerankers/albert"};

cs_status score(const cs_model* reranker, const cs_rerank_options& options,
                std::vector<float>& scores) {
  static const char* const kDocuments[] = {
      "the lazy dog", "",
      "12 caf\xc3\xa9 [SEP] a b c d e f g h i j k l m n o p q r s t u v w x y z"};
  constexpr int64_t kCount = std::size(kDocuments);
  const int32_t labels = cs_model_labels(reranker);
  expect(labels >= 1, "a reranker without a label");
  scores.assign(static_cast<size_t>(kCount * labels), 0);
  cs_error* error = nullptr;
  const cs_status status =
      cs_rerank(reranker, "the quick brown fox", -1, kDocuments, nullptr, kCount, &options,
                scores.data(), static_cast<int64_t>(scores.size()), &error);
  expect(settle(error) == status, "the status is not the error's");
  for (const float value : scores)
    expect(status != CS_OK || std::isfinite(value), "a score that is not finite");
  return status;
}

}  // namespace

// The input: the fixture, how it is used, and edits of its files.
FUZZ_TARGET(reranker_folder) {
  static const std::vector<Files> fixtures = fixture_folders(kRerankers);
  static const char* const kActivations[] = {nullptr, "identity", "softmax", "sigmoid"};
  const auto parts = pieces(bytes, 5);
  Numbers how(parts[0]);
  Files files = fixtures[how.byte() % fixtures.size()];
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = kActivations[how.byte() % std::size(kActivations)];
  options.max_length = static_cast<int32_t>(how.below(30));
  for (size_t i = 1; i < parts.size(); ++i) {
    if (!parts[i].empty())
      edit(files, parts[i],
           {"config.json", "model.safetensors", "config_sentence_transformers.json",
            "modules.json"});
  }
  const MemoryFolder folder;
  const std::string path = write_files(folder, "model", files), saved = folder / "saved";
  cs_error* error = nullptr;
  const std::unique_ptr<cs_config, void (*)(cs_config*)> keys(
      cs_config_parse(R"({"kind": "reranker"})", &error), cs_config_free);
  expect(settle(error) == CS_OK, "the keys cannot be read");
  const int64_t before_loading = cs_live_handles();
  cs_model* reranker = cs_model_load(path.c_str(), keys.get(), &error);
  settle(error);
  if (reranker == nullptr) {
    expect(cs_live_handles() == before_loading, "handles are left");
    return;
  }
  char* info = cs_model_info(reranker, &error);
  settle(error);
  expect(info != nullptr, "a reranker without a description");
  cs_string_free(info);
  std::vector<float> before, after;
  const cs_status status = score(reranker, options, before);
  cs_model_save(reranker, saved.c_str(), &error);
  if (settle(error) != CS_OK) violated("a reranker that was loaded cannot be saved");
  cs_model* again = cs_model_load(saved.c_str(), keys.get(), &error);
  const std::string message = error == nullptr ? "" : cs_error_message(error);
  settle(error);
  if (again == nullptr) violated("the saved reranker cannot be loaded: " + message);
  expect(score(again, options, after) == status && (status != CS_OK || before == after),
         "the saved reranker gives other scores");
  cs_model_free(again);
  cs_model_free(reranker);
  expect(cs_live_handles() == before_loading, "handles are left");
}

}  // namespace contrastive::fuzz
