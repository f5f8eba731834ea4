// Runs that resume from an edited saved state: cs_trainer_resume, some updates, a save, and the
// same again from the new save.
#include <contrastive/contrastive.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <memory>

#include "core/base/sha256.h"
#include "tests/fuzz/edits.h"
#include "tests/fuzz/target.h"

namespace contrastive::fuzz {
namespace {

struct Free {
  void operator()(cs_config* handle) const { cs_config_free(handle); }
  void operator()(cs_model* handle) const { cs_model_free(handle); }
  void operator()(cs_dataset* handle) const { cs_dataset_free(handle); }
  void operator()(cs_trainer* handle) const { cs_trainer_free(handle); }
};
template <class T>
using Owned = std::unique_ptr<T, Free>;

// A saved run in memory: the fields of its manifest, and its tensors.
struct Saved {
  Json fields;
  std::string tensors;
};

constexpr const char* kTexts = "a text\nanother one\nthe fox\nquick brown\n";
constexpr const char* kDev = "1\tthe fox\ta text\n2\tone\ttwo\n4\tquick\tbrown quick\n";

// Configs of the runs, and how many updates each has made. Paths are relative, because each process
// has another folder.
struct Run {
  const char* config;
  int updates;
};
constexpr Run kRuns[] = {
    {R"({"method": "simcse", "optimizer": "adamw", "dev": "dev.tsv", "eval_every": 1, "patience": 9})",
     2},
    {R"({"method": "mnrl", "optimizer": "lars", "warmup_steps": 2})", 1},
    {R"({"method": "clsr", "optimizer": "sgd", "clsr.hidden": 4, "clsr.dimension": 4, "clsr.input_norm": "standardize"})",
     2},
    {R"({"method": "consert", "consert.mode": "sup-unsup", "stage1.max_steps": 2, "stage2.dataset": "texts.txt"})",
     1},
    {R"({"method": "consert", "consert.mode": "sup-unsup", "stage1.max_steps": 1, "stage2.dataset": "texts.txt"})",
     3},
    {R"({"method": "clear", "optimizer": "adam"})", 1},
    {R"({"method": "sgopt", "sgopt.head_width": 8})", 1},
    {R"({"method": "clsr", "clsr.encoder_init": "residual", "clsr.hidden": 4, "clsr.half_cache": true})",
     0},
};
constexpr const char* kForAll =
    R"({"batch_size": 2, "max_steps": 4, "lr": 1e-3, "data_threads": 0, "watch_every": 1, "seed": 3})";

void must(const void* handle, const cs_error* error, const char* what) {
  if (handle == nullptr)
    violated(std::string(what) + ": " + (error == nullptr ? "" : cs_error_message(error)));
}

cs_model* start_model() {
  static const Owned<cs_model> loaded = [] {
    cs_error* error = nullptr;
    const Owned<cs_config> config(cs_config_parse("{\"pooling\": \"mean\"}", &error));
    cs_model* made =
        cs_model_load((std::string(CONTRASTIVE_FIXTURES) + "/models/bert_bf16").c_str(),
                      config.get(), &error);
    must(made, error, "the model");
    return Owned<cs_model>(made);
  }();
  return loaded.get();
}

cs_dataset* examples() {
  static const Owned<cs_dataset> filled = [] {
    cs_error* error = nullptr;
    cs_dataset* made = cs_dataset_new(&error);
    must(made, error, "the dataset");
    for (int i = 0; i < 6; ++i) {
      const std::string a = "the quick fox " + std::to_string(i),
                        b = "a brown dog " + std::to_string(i * 7);
      cs_dataset_add(made, a.c_str(), -1, b.c_str(), -1, i % 3, &error);
    }
    expect(cs_dataset_size(made) == 6, "six examples were added");
    return Owned<cs_dataset>(made);
  }();
  return filled.get();
}

std::string contents(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_inputs(const MemoryFolder& folder) {
  folder.write("texts.txt", kTexts);
  folder.write("dev.tsv", kDev);
}

Saved make_run(const Run& run) {
  const MemoryFolder folder;
  const WorkingFolder inside(folder.path());
  write_inputs(folder);
  cs_error* error = nullptr;
  const Owned<cs_config> config(cs_config_parse(kForAll, &error)),
      own(cs_config_parse(run.config, &error));
  cs_config_merge(config.get(), own.get(), &error);
  const Owned<cs_trainer> trainer(cs_trainer_new(start_model(), examples(), config.get(), &error));
  must(trainer.get(), error, run.config);
  for (int i = 0; i < run.updates; ++i)
    expect(cs_train_step(trainer.get(), nullptr, &error) == CS_OK,
           "an update of the run to be saved");
  expect(cs_trainer_save(trainer.get(), "saved", &error) == CS_OK, "the run cannot be saved");
  const Json manifest =
      parse_json(contents(folder / "saved/training_state/manifest.json"), "manifest");
  return {manifest.at("fields"), contents(folder / "saved/training_state/state.safetensors")};
}

const Saved& saved_run(size_t number) {
  static std::vector<Saved> all = [] {
    std::vector<Saved> made;
    for (const Run& run : kRuns) made.push_back(make_run(run));
    return made;
  }();
  return all[number % all.size()];
}

void write_state(const MemoryFolder& folder, const Saved& saved) {
  const std::string tensors = folder.write("run/training_state/state.safetensors", saved.tensors);
  Json manifest = {{"format_version", 1}, {"files", Json::object()}, {"fields", saved.fields}};
  manifest["files"]["state.safetensors"] = {{"bytes", saved.tensors.size()},
                                            {"sha256", sha256_of_file(tensors, int64_t{1} << 24)}};
  folder.write("run/training_state/manifest.json", dump_ascii(manifest));
}

// Rejects valid numbers that would take hours or gigabytes, and paths that leave the folder.
bool modest(const Json& value, bool small) {
  if (value.is_string()) {
    const auto& text = value.get_ref<const std::string&>();
    return text.find('/') == std::string::npos && text.find("..") == std::string::npos;
  }
  if (value.is_number()) return !small || std::abs(value.get<double>()) <= 64;
  if (value.is_structured())
    return std::all_of(value.begin(), value.end(),
                       [&](const Json& one) { return modest(one, small); });
  return true;
}

bool modest_fields(const Json& patch) {
  if (!patch.is_object()) return true;
  for (const auto& item : patch.items()) {
    const bool config =
        item.key() == "config" || item.key() == "resolved_config" || item.key() == "stages";
    if (!modest(item.value(), config)) return false;
  }
  return true;
}

// Counts up to 2^53 can be read. A run that starts there would soon exceed it, and its save would
// be refused. No real run gets that far.
bool countable(const Json& value) {
  if (value.is_number()) return std::abs(value.get<double>()) <= 1e15;
  return !value.is_structured() || std::all_of(value.begin(), value.end(), countable);
}

std::vector<float> vector_of_a_text() {
  std::vector<float> vector(static_cast<size_t>(cs_model_dimension(start_model())));
  const char* text = "the quick brown fox";
  const auto floats = static_cast<int64_t>(vector.size());
  expect(cs_encode(start_model(), &text, nullptr, 1, nullptr, vector.data(), floats, nullptr) ==
             CS_OK,
         "the model is gone");
  return vector;
}

void go_on(cs_trainer* trainer, const MemoryFolder& folder, bool again_too) {
  cs_error* error = nullptr;
  for (char* text : {cs_trainer_config(trainer, &error), cs_trainer_metrics(trainer, &error)}) {
    expect(text != nullptr, "a trainer without a description");
    cs_string_free(text);
  }
  for (int i = 0; i < 3; ++i) {
    if (cs_train_step(trainer, nullptr, &error) != CS_OK) break;
  }
  settle(error);
  const Owned<cs_model> best(cs_trainer_model(trainer, 1, &error));
  must(best.get(), error, "the best weights are missing");
  if (contents(folder / "texts.txt") != kTexts || contents(folder / "dev.tsv") != kDev)
    return;  // the run was configured to write its records there
  cs_trainer_save(trainer, "again", &error);
  expect(settle(error) == CS_OK, "a resumed run cannot be saved");
  if (!again_too) return;
  const Owned<cs_trainer> again(
      cs_trainer_resume("again", start_model(), examples(), nullptr, &error));
  must(again.get(), error, "the saved run cannot be resumed");
}

}  // namespace

// The input: which run, the overrides, a merge patch for the manifest's fields, one for the header
// of the tensors, and bytes to write at an offset among them.
FUZZ_TARGET(resume) {
  const auto parts = pieces(bytes, 5);
  Saved saved = saved_run(parts[0].empty() ? 0 : static_cast<uint8_t>(parts[0][0]));
  const Json overrides = patch_of(parts[1]), patch = patch_of(parts[2]);
  if (!modest(overrides, true) || !modest_fields(patch)) return;
  if (!patch.is_null()) merge(saved.fields, patch);
  if (!parts[3].empty()) patch_header(saved.tensors, parts[3]);
  if (!parts[4].empty()) overwrite(saved.tensors, parts[4]);
  static const std::vector<float> before = vector_of_a_text();
  const MemoryFolder folder;
  const WorkingFolder inside(folder.path());
  write_inputs(folder);
  write_state(folder, saved);
  examples();  // created before the handles are counted
  const int64_t handles = cs_live_handles();
  {
    cs_error* error = nullptr;
    const Owned<cs_config> config(parts[1].empty() ? nullptr
                                                   : cs_config_parse(parts[1].c_str(), &error));
    settle(error);
    const Owned<cs_trainer> trainer(
        cs_trainer_resume("run", start_model(), examples(), config.get(), &error));
    const bool failed = settle(error) != CS_OK;
    expect(failed == (trainer == nullptr), "a failed call gave a run");
    if (trainer != nullptr) go_on(trainer.get(), folder, countable(patch));
  }
  expect(cs_live_handles() == handles, "handles are left");
  expect(vector_of_a_text() == before, "the start model of the run has changed");
}

}  // namespace contrastive::fuzz
