// The scenarios: loading, encoding, searching, configs, datasets, saving; and the list of all.
#include <algorithm>
#include <cmath>
#include <fstream>
#include <functional>

#include "tests/faults/memory/retrieval.h"
#include "tests/faults/memory/training.h"

namespace contrastive::faults {
namespace {

class Load : public Scenario {
 public:
  Load(const std::string& model, const std::string& keys) : path_(kModels + model), keys_(keys) {}
  void prepare(const std::string&) override {}
  cs_status run(cs_error** error) override {
    config_ = cs_config_parse(keys_.c_str(), error);
    if (config_ == nullptr) return cs_error_status(*error);
    model_ = cs_model_load(path_.c_str(), config_, error);
    return model_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    if (config_ == nullptr)
      config_ = need(cs_config_parse(keys_.c_str(), &error), error, "a config");
    if (model_ == nullptr)
      model_ = need(cs_model_load(path_.c_str(), config_, &error), error, "loading again");
    std::vector<float> vectors = encode(model_);
    cs_model_free(model_);
    cs_config_free(config_);
    return vectors;
  }

 private:
  const std::string path_, keys_;
  cs_config* config_ = nullptr;
  cs_model* model_ = nullptr;
};

class Encode : public Scenario {
 public:
  void prepare(const std::string&) override {
    model_ = load(kModels + "bert_st");
    vectors_.resize(kTexts.size() * static_cast<size_t>(cs_model_dimension(model_)));
  }
  cs_status run(cs_error** error) override { return encode_into(model_, vectors_, error); }
  std::vector<float> outcome(cs_status status) override {
    std::vector<float> again = encode(model_);
    if (status == CS_OK && again != vectors_)
      throw Broken("the vectors of a successful call differ from those of a second call");
    cs_model_free(model_);
    return again;
  }

 private:
  cs_model* model_ = nullptr;
  std::vector<float> vectors_;
};

class Search : public Scenario {
 public:
  void prepare(const std::string&) override {
    for (int64_t i = 0; i < kRows * kDimension; ++i)
      vectors_.push_back(static_cast<float>(std::sin(static_cast<double>(i * i))));
    found_.resize(kRows * kTop);
    scores_.resize(kRows * kTop);
  }
  cs_status run(cs_error** error) override {
    return cs_search(vectors_.data(), kRows, vectors_.data(), kRows, kDimension, CS_METRIC_COSINE,
                     kTop, found_.data(), scores_.data(), kRows * kTop, nullptr, error);
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    need_ok(run(&error), error, "searching again");
    return scores_;
  }

 private:
  static constexpr int64_t kRows = 40, kDimension = 8, kTop = 3;
  std::vector<float> vectors_, scores_;
  std::vector<int32_t> found_;
};

// All operations on configs, and the description of all keys.
class Configs : public Scenario {
 public:
  void prepare(const std::string&) override {}
  cs_status run(cs_error** error) override {
    a_ = cs_config_parse(
        R"({"method": "clsr", "clsr": {"temperature": 0.1}, "sgopt.layer_weights": [1, 2, 1], "x-own": {"a": [[], {"b": null}]}})",
        error);
    if (a_ == nullptr) return cs_error_status(*error);
    b_ = cs_config_parse(nullptr, error);
    if (b_ == nullptr) return cs_error_status(*error);
    cs_status status = cs_config_set(b_, "lr", "[0.1, 0.2]", error);
    if (status == CS_OK) status = cs_config_merge(a_, b_, error);
    if (status != CS_OK) return status;
    text_ = cs_config_to_json(a_, error);
    if (text_ == nullptr) return cs_error_status(*error);
    described_ = cs_config_describe("mnrl", error);
    if (described_ == nullptr) return cs_error_status(*error);
    info_ = cs_build_info(error);
    return info_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status status) override {
    cs_error* error = nullptr;
    if (status != CS_OK) {
      free_all();
      need_ok(run(&error), error, "configs again");
    }
    const std::vector<float> lengths = {static_cast<float>(std::string(text_).size()),
                                        static_cast<float>(std::string(described_).size())};
    free_all();
    return lengths;
  }

 private:
  void free_all() {
    cs_config_free(a_), cs_config_free(b_);
    cs_string_free(text_), cs_string_free(described_), cs_string_free(info_);
    a_ = b_ = nullptr;
    text_ = described_ = info_ = nullptr;
  }
  cs_config *a_ = nullptr, *b_ = nullptr;
  char *text_ = nullptr, *described_ = nullptr, *info_ = nullptr;
};

std::string write_pairs(const std::string& folder) {
  const std::string path = folder + "/pairs.tsv";
  std::ofstream file(path);
  for (const auto& pair : kPairs) file << pair[0] << "\t" << pair[1] << "\n";
  return path;
}

class Dataset : public Scenario {
 public:
  void prepare(const std::string& folder) override { path_ = write_pairs(folder); }
  cs_status run(cs_error** error) override {
    added_ = cs_dataset_new(error);
    if (added_ == nullptr) return cs_error_status(*error);
    for (; count_ < kMany; ++count_) {
      const cs_status status = add_pair(added_, count_, error);
      if (status != CS_OK) return status;
    }
    opened_ = cs_dataset_open(path_.c_str(), nullptr, error);
    return opened_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    if (added_ == nullptr) added_ = need(cs_dataset_new(&error), error, "a dataset");
    if (cs_dataset_size(added_) != count_)
      throw Broken("a refused example is in the dataset, or an accepted one is not");
    for (; count_ < kMany; ++count_)
      need_ok(add_pair(added_, count_, &error), error, "adding the rest");
    if (opened_ == nullptr)
      opened_ = need(cs_dataset_open(path_.c_str(), nullptr, &error), error, "opening again");
    const std::vector<float> sizes = {static_cast<float>(cs_dataset_size(added_)),
                                      static_cast<float>(cs_dataset_size(opened_))};
    cs_dataset_free(added_);
    cs_dataset_free(opened_);
    return sizes;
  }

 private:
  static constexpr int64_t kMany = 40;
  std::string path_;
  int64_t count_ = 0;
  cs_dataset *added_ = nullptr, *opened_ = nullptr;
};

// Saves a model over another one.
class Save : public Scenario {
 public:
  void prepare(const std::string& folder) override {
    folder_ = folder;
    target_ = folder + "/target";
    cs_error* error = nullptr;
    cs_model* const before = load(kModels + "bert_st");
    need_ok(cs_model_save(before, target_.c_str(), &error), error, "saving the old model");
    old_vectors_ = encode(before);
    cs_model_free(before);
    model_ = load(kModels + "bert_st_old");
    new_vectors_ = encode(model_);
  }
  cs_status run(cs_error** error) override { return cs_model_save(model_, target_.c_str(), error); }
  std::vector<float> outcome(cs_status status) override {
    const std::vector<float> there = encode_folder(target_);
    if (there != new_vectors_ && there != old_vectors_)
      throw Broken("the folder holds neither the old model nor the new one");
    if (status != CS_OK && there == new_vectors_)
      throw Broken("an error, and the folder holds the new model");
    if (status == CS_OK && there != new_vectors_)
      throw Broken("OK, and the folder holds the old model");
    cs_error* error = nullptr;
    need_ok(run(&error), error, "saving again");
    expect_only(folder_, "target");
    std::vector<float> vectors = encode_folder(target_);
    cs_model_free(model_);
    return vectors;
  }

 private:
  std::string folder_, target_;
  cs_model* model_ = nullptr;
  std::vector<float> old_vectors_, new_vectors_;
};

class Evaluate : public Scenario {
 public:
  void prepare(const std::string& folder) override {
    const std::string path = folder + "/sts.tsv";
    std::ofstream file(path);
    for (int i = 0; i < 8; ++i)
      file << i * 0.5 << "\t" << kPairs[i][0] << "\t" << kPairs[i][1] << "\n";
    file.close();
    cs_error* error = nullptr;
    model_ = load(kModels + "bert_st");
    config_ =
        need(cs_config_parse(("{\"data\": \"" + path + "\"}").c_str(), &error), error, "a config");
  }
  cs_status run(cs_error** error) override {
    report_ = cs_evaluate(model_, "sts", config_, nullptr, error);
    return report_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    if (report_ == nullptr) need_ok(run(&error), error, "evaluating again");
    const std::string text = report_;
    cs_string_free(report_);
    cs_model_free(model_);
    cs_config_free(config_);
    std::vector<float> characters(text.begin(), text.end());
    return characters;
  }

 private:
  cs_model* model_ = nullptr;
  cs_config* config_ = nullptr;
  char* report_ = nullptr;
};

// oneDNN ends the process if its bfloat16 products run out of memory (RESULTS.md).
constexpr const char* kByNameOnly = "mnrl-bfloat16";

struct Entry {
  std::string name;
  std::function<std::unique_ptr<Scenario>()> make;
};

template <class Kind, class... Arguments>
Entry entry(const std::string& name, Arguments... arguments) {
  return {name, [=] { return std::make_unique<Kind>(arguments...); }};
}

std::vector<Entry> entries() {
  std::vector<Entry> all = {
      entry<Load>("load", "bert_st", "{}"),
      entry<Load>("load-dense", "bert_st_old", "{}"),
      entry<Load>("load-roberta", "roberta_hf", R"({"pooling": "mean"})"),
      entry<Load>("load-shards", "roberta_sharded", R"({"pooling": "mean"})"),
      entry<Rerank>("rerank"),
      entry<Mine>("mine"),
      entry<Encode>("encode"),
      entry<Search>("search"),
      entry<Configs>("config"),
      entry<Dataset>("dataset"),
      entry<Save>("save"),
      entry<Evaluate>("evaluate"),
      entry<NewTrainer>("trainer", "clsr"),
      entry<SaveRun>("save-run", "mnrl"),
      entry<Resume>("resume", "mnrl"),
      entry<BestModel>("best-model", "mnrl"),
  };
  for (const char* method : {"mnrl", "simcse", "consert", "clear", "sgopt", "clsr", "scored",
                             "triplet", "distill", "distill-margins", "tsdae", "reranker"})
    all.push_back(entry<Step>(method, method, false));
  static const std::string wide = "{\"tokenizer\": \"" + kModels +
                                  "bert_st\", \"layers\": 1, \"hidden_size\": 128, "
                                  "\"attention_heads\": 2, \"intermediate_size\": 2048, "
                                  "\"pooling\": \"mean\"}";
  all.push_back(entry<Step>("mnrl-wide", "mnrl", wide.c_str()));
  all.push_back(entry<Step>(kByNameOnly, kByNameOnly, false));
  for (const char* method : {"clear", "clsr", "distill", "reranker"})
    all.push_back(entry<Step>(std::string("first-") + method, method, true));
  return all;
}

}  // namespace

std::vector<std::string> scenario_names() {
  std::vector<std::string> names;
  for (const Entry& one : entries()) names.push_back(one.name);
  names.erase(std::remove(names.begin(), names.end(), kByNameOnly), names.end());
  return names;
}

std::unique_ptr<Scenario> make_scenario(const std::string& name) {
  for (const Entry& one : entries()) {
    if (one.name == name) return one.make();
  }
  return nullptr;
}

}  // namespace contrastive::faults
