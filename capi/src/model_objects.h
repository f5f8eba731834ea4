// The objects behind the handles of models, datasets and trainers.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "capi/src/objects.h"
#include "core/data/dataset.h"
#include "core/model/cross_encoder.h"
#include "core/system/process.h"
#include "core/model/model.h"
#include "core/model/replicas.h"
#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "core/text/tokenizer.h"
#include "core/training/trainer.h"

namespace contrastive::capi {

// A sentence encoder or a reranker. It is immutable, so any number of threads may use it.
struct ModelObject {
  explicit ModelObject(std::shared_ptr<model::Model> a_model)
      : model(std::move(a_model)), encoder(model::sentence_encoder(model)),
        reranker(model::cross_encoder(model)) {}

  const std::shared_ptr<model::Model> model;
  const std::shared_ptr<model::SentenceEncoder> encoder;  // the same model, or null
  const std::shared_ptr<model::CrossEncoder> reranker;    // the same model, or null

  // The first call computes it from all weights; later calls return the stored value.
  std::string fingerprint() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fingerprint_.empty()) fingerprint_ = model->fingerprint();
    return fingerprint_;
  }

 private:
  std::mutex mutex_;
  std::string fingerprint_;
};

struct DatasetObject {
  std::shared_ptr<data::Dataset> data;
  std::atomic<bool> busy{false};
  std::atomic<int> trainers{0};  // while there are any, no example can be added
};

struct TrainerObject {
  explicit TrainerObject(std::shared_ptr<DatasetObject> a_data) : data(std::move(a_data)) {
    if (data != nullptr) ++data->trainers;
  }
  ~TrainerObject() {
    // After a fork the trainer's threads exist only in the parent, so the child cannot join them.
    if (process != system::process_number()) static_cast<void>(trainer.release());
    trainer.reset();
    if (data != nullptr) --data->trainers;
  }
  TrainerObject(const TrainerObject&) = delete;
  TrainerObject& operator=(const TrainerObject&) = delete;

  const std::shared_ptr<DatasetObject> data;  // nullptr if the caller passes every batch
  std::unique_ptr<training::Trainer> trainer;
  const int64_t process = system::process_number();
  std::atomic<bool> busy{false};
};

template <>
struct Traits<cs_model> {
  using Object = ModelObject;
  static constexpr Type kType = Type::kModel;
  static constexpr const char* kName = "model";
};
template <>
struct Traits<cs_dataset> {
  using Object = DatasetObject;
  static constexpr Type kType = Type::kDataset;
  static constexpr const char* kName = "dataset";
};
template <>
struct Traits<cs_trainer> {
  using Object = TrainerObject;
  static constexpr Type kType = Type::kTrainer;
  static constexpr const char* kName = "trainer";
};

// A model handle of either kind, in use: keeps the model alive. kHandle if `model` is not a model.
class ModelUse {
 public:
  explicit ModelUse(const cs_model* model, const char* parameter = "model")
      : object_(need(model, parameter)), limit_(object_->model->replicas().most_threads()) {}
  const model::Model* operator->() const { return object_->model.get(); }
  ModelObject& object() const { return *object_; }
  const text::Tokenizer& tokenizer() const { return *object_->model->folder().tokenizer; }
  std::string fingerprint() const { return object_->fingerprint(); }

 protected:
  std::shared_ptr<ModelObject> object_;

 private:
  runtime::ThreadLimit limit_;  // the model's key "threads"
};

// A model handle in use by a call that embeds. kArgument if the model is a reranker. `instead` is a
// sentence for the error message that says what to do with a reranker.
class EncoderUse : public ModelUse {
 public:
  EncoderUse(const cs_model* model, const char* parameter, const char* instead)
      : ModelUse(model, parameter) {
    check(object_->encoder != nullptr, Status::kArgument, parameter,
          " is a reranker, which scores pairs of texts and embeds none. ", instead);
  }
  const std::shared_ptr<model::SentenceEncoder>& shared() const { return object_->encoder; }
  const model::SentenceEncoder& operator*() const { return *object_->encoder; }
  const model::SentenceEncoder* operator->() const { return object_->encoder.get(); }
};

// A model handle in use by a call that scores pairs. kArgument if the model is a sentence encoder.
class RerankerUse : public ModelUse {
 public:
  RerankerUse(const cs_model* model, const char* parameter) : ModelUse(model, parameter) {
    check(object_->reranker != nullptr, Status::kArgument, parameter,
          " is a sentence encoder, which embeds texts and scores no pairs. Embed both texts with "
          "cs_encode and compare them with cs_similarity, or load a reranker");
  }
  const model::CrossEncoder& operator*() const { return *object_->reranker; }
  const model::CrossEncoder* operator->() const { return object_->reranker.get(); }
};

inline cs_model* make_model_handle(std::shared_ptr<model::Model> model) {
  return make_handle<cs_model>(std::make_shared<ModelObject>(std::move(model)));
}

}  // namespace contrastive::capi
