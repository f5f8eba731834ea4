#include "tests/faults/mutants/starts.h"

#include <contrastive/contrastive.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>

namespace contrastive::faults {
namespace {

namespace fs = std::filesystem;

const char* const kNothing = "\"x-mutant\": true";  // a key without effect, so that others can
                                                    // follow it
const char* const kPairs[] = {"the cat", "a cat", "a dog", "the dog"};

bool done(bool ok, const char* what, cs_error* error) {
  if (!ok)
    std::fprintf(stderr, "%s: %s\n", what, error == nullptr ? "no error" : cs_error_message(error));
  cs_error_free(error);
  return ok;
}

// A run of `model` after one of nine steps.
bool write_run(cs_model* model, const char* config_text, const std::string& path) {
  cs_error* error = nullptr;
  cs_config* const config = cs_config_parse(config_text, &error);
  cs_trainer* const trainer = cs_trainer_new(model, nullptr, config, &error);
  const bool ok =
      cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, &error) == CS_OK &&
      cs_trainer_save(trainer, path.c_str(), &error) == CS_OK;
  cs_trainer_free(trainer);
  cs_config_free(config);
  return done(ok, "a run", error);
}

bool write_adapter(cs_model* base, const std::string& path) {
  cs_error* error = nullptr;
  cs_config* const config =
      cs_config_parse(R"({"method": "mnrl", "max_steps": 1, "mnrl.lora_rank": 2})", &error);
  cs_trainer* const trainer = cs_trainer_new(base, nullptr, config, &error);
  const bool trained =
      cs_train_batch(trainer, kPairs, nullptr, 2, 2, nullptr, nullptr, &error) == CS_OK;
  cs_model* const model = trained ? cs_trainer_model(trainer, 0, &error) : nullptr;
  const bool ok =
      model != nullptr && cs_model_save(model, (path + "-model").c_str(), &error) == CS_OK;
  cs_model_free(model);
  cs_trainer_free(trainer);
  cs_config_free(config);
  if (ok) fs::rename(path + "-model/adapter", path);
  return done(ok, "an adapter", error);
}

bool write_static(const std::string& encoder, const std::string& path) {
  cs_error* error = nullptr;
  cs_config* const config = cs_config_parse(
      ("{\"static.encoder\": \"" + encoder + "\", \"static.dimension\": 8}").c_str(), &error);
  cs_model* const model = cs_model_create(config, &error);
  const bool ok = cs_model_save(model, path.c_str(), &error) == CS_OK;
  cs_model_free(model);
  cs_config_free(config);
  return done(ok, "static embeddings", error);
}

void write_pickled(const std::string& fixtures, const std::string& path) {
  fs::copy(fixtures + "/models/bert_f16", path);
  fs::remove(path + "/model.safetensors");
  fs::copy(fixtures + "/pickled/bert_f16/pytorch_model.bin", path + "/pytorch_model.bin");
}

std::vector<Start> folders(Kind kind, const std::string& place) {
  std::vector<Start> starts;
  for (const auto& item : fs::directory_iterator(place)) {
    const std::string path = item.path().string();
    if (!item.is_directory()) continue;
    // A plain encoder does not specify its pooling.
    const bool plain = kind == Kind::kModel && !fs::exists(path + "/modules.json");
    starts.push_back({kind, path, plain ? "\"pooling\": \"mean\"" : kNothing});
  }
  std::sort(starts.begin(), starts.end(),
            [](const Start& a, const Start& b) { return a.path < b.path; });
  return starts;
}

}  // namespace

bool write_starts(const std::string& fixtures, const std::string& place) {
  const std::string base = fixtures + "/models/bert_st";
  cs_error* error = nullptr;
  cs_model* const model = cs_model_load(base.c_str(), nullptr, &error);
  const bool ok = done(model != nullptr, "the base model", error) &&
                  write_run(model, R"({"method": "mnrl", "max_steps": 9})", place + "/run") &&
                  write_run(model, R"({"method": "mnrl", "max_steps": 9, "mnrl.lora_rank": 2})",
                            place + "/run-of-an-adapter") &&
                  write_adapter(model, place + "/adapter") && write_static(base, place + "/static");
  cs_model_free(model);
  write_pickled(fixtures, place + "/pickled");
  return ok;
}

Starts find_starts(const std::string& fixtures, const std::string& place) {
  std::vector<Start> families = folders(Kind::kModel, fixtures + "/families"),
                     kinds = folders(Kind::kModel, fixtures + "/kinds");
  families.insert(families.end(), kinds.begin(), kinds.end());
  return {folders(Kind::kModel, fixtures + "/models"),
          families,
          folders(Kind::kReranker, fixtures + "/rerankers"),
          {{Kind::kRun, place + "/run", kNothing},
           {Kind::kRun, place + "/run-of-an-adapter", kNothing}},
          {{Kind::kModel, place + "/static", kNothing},
           {Kind::kModel, place + "/pickled", R"("pooling": "mean", "allow_pickle": true)"},
           {Kind::kAdapter, place + "/adapter", kNothing}}};
}

}  // namespace contrastive::faults
