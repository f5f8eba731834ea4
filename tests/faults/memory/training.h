// Scenarios of training: create a run, make an update, save and resume the run.
#pragma once

#include <fstream>

#include "tests/faults/memory/common.h"

namespace contrastive::faults {

// The data and config of a scenario's run, by the name of the scenario: a method, or one of its
// losses.
struct Lesson {
  std::string method;
  int32_t columns = 2;  // texts of an example
  std::string keys;     // of the config, with a comma before them
};

inline Lesson lesson(const std::string& name) {
  const std::string teacher = R"(, "distill.teacher": ")" + kModels + R"(bert_st_old")";
  if (name == "clsr") return {name, 2, R"(, "clsr.hidden": 16, "clsr.dimension": 16)"};
  if (name == "clear") return {name, 2, R"(, "clear.head_dim": 24)"};
  if (name == "sgopt") return {name, 2, R"(, "sgopt.head_width": 24)"};
  if (name == "triplet") return {name, 3, ""};
  if (name == "distill") return {name, 1, teacher + R"(, "distill.projection": "linear")"};
  if (name == "distill-margins")
    return {"distill", 3, teacher + R"(, "distill.loss": "margin_mse")"};
  if (name == "tsdae") return {name, 1, ""};
  if (name == "mnrl-bfloat16") return {"mnrl", 2, R"(, "amp": "bfloat16")"};
  return {name, 2, ""};
}

// A run of three updates or more; a subclass makes a part of it fail.
class Training : public Scenario {
 public:
  explicit Training(const std::string& name, int updates = 3)
      : lesson_(lesson(name)), updates_(updates) {
    config_text_ =
        "{\"method\": \"" + lesson_.method +
        "\", \"batch_size\": 4, \"lr\": 0.01, \"optimizer\": \"adamw\", \"warmup_steps\": 1";
    config_text_ += ", \"max_steps\": " + std::to_string(updates) + lesson_.keys;
  }
  // A model that is wide enough for training to take its memory of each update from a separate
  // store.
  Training(const std::string& name, const char* recipe) : Training(name) { recipe_ = recipe; }
  void prepare(const std::string& folder) override {
    folder_ = folder;
    checkpoint_ = folder + "/run";
    cs_error* error = nullptr;
    model_ = recipe_.empty() ? load(kModels + "bert_st") : create();
    data_ = need(cs_dataset_new(&error), error, "a dataset");
    for (int64_t i = 0; i < 8; ++i) {
      const char* const texts[3] = {kPairs[i][0], kPairs[i][1], kPairs[(i + 3) % 8][1]};
      const double label = static_cast<double>(i % (trains_reranker() ? 2 : 3));
      need_ok(cs_dataset_add_texts(data_, texts, nullptr, lesson_.columns, label, &error), error,
              "adding an example");
    }
    config_ =
        need(cs_config_parse((config_text_ + more_keys_ + "}").c_str(), &error), error, "a config");
  }

 protected:
  cs_trainer* begin(cs_error** error) { return cs_trainer_new(model_, data_, config_, error); }
  cs_trainer* begun() {
    cs_error* error = nullptr;
    return need(begin(&error), error, "a trainer");
  }
  static void step(cs_trainer* trainer) {
    cs_error* error = nullptr;
    need_ok(cs_train_step(trainer, nullptr, &error), error, "an update");
  }
  // The vectors of the model after the last update, or a reranker's scores. Frees everything.
  std::vector<float> finish(cs_trainer* trainer) {
    cs_error* error = nullptr;
    for (;;) {
      const cs_status status = cs_train_step(trainer, nullptr, &error);
      need_ok(status, error, "an update");
      if (status == CS_DONE) break;
    }
    if (cs_trainer_metric(trainer, "step") != updates_)
      throw Broken("the run ended at update " + std::to_string(cs_trainer_metric(trainer, "step")));
    std::vector<float> results = trains_reranker() ? scores_of(trainer) : vectors_of(trainer);
    cs_trainer_free(trainer);
    cs_config_free(config_);
    cs_dataset_free(data_);
    cs_model_free(model_);
    return results;
  }
  void save(cs_trainer* trainer) {
    cs_error* error = nullptr;
    need_ok(cs_trainer_save(trainer, checkpoint_.c_str(), &error), error, "saving the run");
  }
  cs_trainer* resume(cs_error** error) {
    return cs_trainer_resume(checkpoint_.c_str(), model_, data_, nullptr, error);
  }

  std::string folder_, checkpoint_;
  std::string more_keys_;  // to be set before prepare(): `, "key": value` of the config

 private:
  cs_model* create() const {
    cs_error* error = nullptr;
    cs_config* const recipe = need(cs_config_parse(recipe_.c_str(), &error), error, "a recipe");
    cs_model* const model = need(cs_model_create(recipe, &error), error, "creating a model");
    cs_config_free(recipe);
    return model;
  }

  static std::vector<float> vectors_of(cs_trainer* trainer) {
    cs_error* error = nullptr;
    cs_model* const trained =
        need(cs_trainer_model(trainer, 0, &error), error, "the trained model");
    std::vector<float> vectors = encode(trained);
    cs_model_free(trained);
    return vectors;
  }
  static std::vector<float> scores_of(cs_trainer* trainer) {
    cs_error* error = nullptr;
    cs_model* const trained =
        need(cs_trainer_model(trainer, 0, &error), error, "the trained reranker");
    std::vector<float> scores(kTexts.size());
    const auto count = static_cast<int64_t>(scores.size());
    need_ok(cs_rerank(trained, "a cat", -1, kTexts.data(), nullptr, count, nullptr, scores.data(),
                      count, &error),
            error, "scoring");
    cs_model_free(trained);
    return scores;
  }

  bool trains_reranker() const { return lesson_.method == "reranker"; }

  const Lesson lesson_;
  const int updates_;
  std::string config_text_, recipe_;
  cs_model* model_ = nullptr;
  cs_dataset* data_ = nullptr;
  cs_config* config_ = nullptr;
};

class NewTrainer : public Training {
 public:
  using Training::Training;
  cs_status run(cs_error** error) override {
    trainer_ = begin(error);
    return trainer_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    return finish(trainer_ == nullptr ? begun() : trainer_);
  }

 private:
  cs_trainer* trainer_ = nullptr;
};

// The second update, after the first has prepared the method; with `first`, the first update
// itself.
class Step : public Training {
 public:
  Step(const std::string& method, bool first) : Training(method), first_(first) {}
  Step(const std::string& method, const char* recipe) : Training(method, recipe), first_(false) {}
  void prepare(const std::string& folder) override {
    Training::prepare(folder);
    trainer_ = begun();
    if (!first_) step(trainer_);
  }
  cs_status run(cs_error** error) override { return cs_train_step(trainer_, nullptr, error); }
  std::vector<float> outcome(cs_status) override { return finish(trainer_); }

 private:
  const bool first_;
  cs_trainer* trainer_ = nullptr;
};

class SaveRun : public Training {
 public:
  using Training::Training;
  void prepare(const std::string& folder) override {
    Training::prepare(folder);
    trainer_ = begun();
    step(trainer_);
    save(trainer_);
    step(trainer_);
  }
  cs_status run(cs_error** error) override {
    return cs_trainer_save(trainer_, checkpoint_.c_str(), error);
  }
  std::vector<float> outcome(cs_status status) override {
    cs_error* error = nullptr;
    cs_trainer* const saved = need(resume(&error), error, "resuming what was there after the save");
    const double step = cs_trainer_metric(saved, "step");
    if (step != 2 && (step != 1 || status == CS_OK))
      throw Broken("the saved run is at update " + std::to_string(step));
    cs_trainer_free(saved);
    save(trainer_);
    cs_trainer_free(trainer_);
    expect_only(folder_, "run");
    return finish(need(resume(&error), error, "resuming"));
  }

 private:
  cs_trainer* trainer_ = nullptr;
};

class Resume : public Training {
 public:
  using Training::Training;
  void prepare(const std::string& folder) override {
    Training::prepare(folder);
    cs_trainer* const trainer = begun();
    step(trainer);
    save(trainer);
    cs_trainer_free(trainer);
  }
  cs_status run(cs_error** error) override {
    trainer_ = resume(error);
    return trainer_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    return finish(trainer_ == nullptr ? need(resume(&error), error, "resuming again") : trainer_);
  }

 private:
  cs_trainer* trainer_ = nullptr;
};

// Reads the weights of the best dev score after one more update.
class BestModel : public Training {
 public:
  explicit BestModel(const std::string& method) : Training(method, 4) {}
  void prepare(const std::string& folder) override {
    std::ofstream dev(folder + "/dev.tsv");
    for (int i = 0; i < 8; ++i)
      dev << (i * 5) % 8 << "\t" << kPairs[i][0] << "\t" << kPairs[(i * 3) % 8][1] << "\n";
    dev.close();
    more_keys_ = ", \"dev\": \"" + folder + "/dev.tsv\", \"eval_every\": 2";
    Training::prepare(folder);
    trainer_ = begun();
    for (int i = 0; i < 3; ++i) step(trainer_);
    if (cs_trainer_metric(trainer_, "best_step") != 2)
      throw Broken("the best weights are the last ones: nothing is tried");
  }
  cs_status run(cs_error** error) override {
    best_ = cs_trainer_model(trainer_, 1, error);
    return best_ == nullptr ? cs_error_status(*error) : CS_OK;
  }
  std::vector<float> outcome(cs_status) override {
    cs_error* error = nullptr;
    if (best_ == nullptr)
      best_ = need(cs_trainer_model(trainer_, 1, &error), error, "the best model");
    std::vector<float> vectors = encode(best_);
    cs_model_free(best_);
    const std::vector<float> last = finish(trainer_);
    vectors.insert(vectors.end(), last.begin(), last.end());
    return vectors;
  }

 private:
  cs_trainer* trainer_ = nullptr;
  cs_model* best_ = nullptr;
};

}  // namespace contrastive::faults
