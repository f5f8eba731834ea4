// Retrieval scenarios: load a reranker and score with it; mine negatives.
#pragma once

#include <fstream>
#include <iterator>

#include "tests/faults/memory/common.h"

namespace contrastive::faults {

class Rerank : public Scenario {
 public:
  void prepare(const std::string&) override { scores_.resize(kTexts.size()); }
  cs_status run(cs_error** error) override {
    if (reranker_ == nullptr)
      reranker_ = cs_model_load(CONTRASTIVE_FIXTURES "/rerankers/bert", nullptr, error);
    if (reranker_ == nullptr) return cs_error_status(*error);
    return cs_rerank(reranker_, "a cat", -1, kTexts.data(), nullptr,
                     static_cast<int64_t>(kTexts.size()), nullptr, scores_.data(),
                     static_cast<int64_t>(scores_.size()), error);
  }
  std::vector<float> outcome(cs_status status) override {
    const std::vector<float> first = scores_;
    cs_error* error = nullptr;
    need_ok(run(&error), error, "scoring again");
    if (status == CS_OK && first != scores_)
      throw Broken("the scores of a successful call differ from those of a second call");
    cs_model_free(reranker_);
    return scores_;
  }

 private:
  cs_model* reranker_ = nullptr;
  std::vector<float> scores_;
};

// Mines negatives of eight pairs. A failed call leaves its vectors in a folder, from which the next
// one resumes.
class Mine : public Scenario {
 public:
  void prepare(const std::string& folder) override {
    folder_ = folder;
    output_ = folder + "/mined.jsonl";
    cs_error* error = nullptr;
    model_ = load(kModels + "bert_st");
    pairs_ = need(cs_dataset_new(&error), error, "a dataset");
    for (int64_t i = 0; i < 8; ++i) need_ok(add_pair(pairs_, i, &error), error, "adding a pair");
    config_ = need(cs_config_parse(R"({"num_negatives": 2, "relative_margin": -1e9})", &error),
                   error, "a config");
  }
  cs_status run(cs_error** error) override {
    char* const report =
        cs_mine(model_, nullptr, pairs_, nullptr, output_.c_str(), config_, nullptr, error);
    if (report == nullptr) return cs_error_status(*error);
    cs_string_free(report);
    return CS_OK;
  }
  std::vector<float> outcome(cs_status status) override {
    cs_error* error = nullptr;
    const std::vector<float> first = status == CS_OK ? characters() : std::vector<float>();
    need_ok(run(&error), error, "mining again");
    std::vector<float> mined = characters();
    if (status == CS_OK && first != mined)
      throw Broken("the file of a successful call differs from that of a second call");
    expect_only(folder_, "mined.jsonl");
    cs_model_free(model_);
    cs_dataset_free(pairs_);
    cs_config_free(config_);
    return mined;
  }

 private:
  std::vector<float> characters() const {
    std::ifstream file(output_, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  std::string folder_, output_;
  cs_model* model_ = nullptr;
  cs_dataset* pairs_ = nullptr;
  cs_config* config_ = nullptr;
};

}  // namespace contrastive::faults
