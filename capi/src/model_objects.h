// What stands behind the handles of models, datasets and trainers.
#pragma once

#include <unistd.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <string>

#include "capi/src/objects.h"
#include "core/data/dataset.h"
#include "core/model/cross_encoder.h"
#include "core/model/sentence_encoder.h"
#include "core/training/trainer.h"

namespace contrastive::capi {

struct ModelObject {
  std::shared_ptr<model::SentenceEncoder>
      encoder;  // never changes, so that any number of threads may use it

  // Computed when it is first asked for, which reads all weights, and remembered.
  std::string fingerprint() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fingerprint_.empty()) fingerprint_ = encoder->fingerprint();
    return fingerprint_;
  }

 private:
  std::mutex mutex_;
  std::string fingerprint_;
};

struct RerankerObject {
  std::shared_ptr<model::CrossEncoder>
      encoder;  // never changes, so that any number of threads may use it

  std::string fingerprint() {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (fingerprint_.empty()) fingerprint_ = encoder->fingerprint();
    return fingerprint_;
  }

 private:
  std::mutex mutex_;
  std::string fingerprint_;
};

struct DatasetObject {
  std::shared_ptr<data::Dataset> data;
  std::atomic<bool> busy{false};
  std::atomic<int> trainers{0};  // while there are any, it does not grow
};

struct TrainerObject {
  explicit TrainerObject(std::shared_ptr<DatasetObject> a_data) : data(std::move(a_data)) {
    if (data != nullptr) ++data->trainers;
  }
  ~TrainerObject() {
    if (process != ::getpid())
      static_cast<void>(
          trainer.release());  // its threads stayed in the parent: nobody can join them
    trainer.reset();
    if (data != nullptr) --data->trainers;
  }
  TrainerObject(const TrainerObject&) = delete;
  TrainerObject& operator=(const TrainerObject&) = delete;

  const std::shared_ptr<DatasetObject> data;  // nullptr where the caller brings every batch
  std::unique_ptr<training::Trainer> trainer;
  const pid_t process = ::getpid();
  std::atomic<bool> busy{false};
};

template <>
struct Traits<cs_model> {
  using Object = ModelObject;
  static constexpr Type kType = Type::kModel;
  static constexpr const char* kName = "model";
};
template <>
struct Traits<cs_reranker> {
  using Object = RerankerObject;
  static constexpr Type kType = Type::kReranker;
  static constexpr const char* kName = "reranker";
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

// The encoder of a model handle, alive as long as this: kHandle where it is none.
class ModelUse {
 public:
  explicit ModelUse(const cs_model* model) : object_(need(model, "model")) {}
  const model::SentenceEncoder& operator*() const { return *object_->encoder; }
  const model::SentenceEncoder* operator->() const { return object_->encoder.get(); }
  std::string fingerprint() const { return object_->fingerprint(); }

 private:
  std::shared_ptr<ModelObject> object_;
};

inline cs_reranker* make_reranker_handle(std::shared_ptr<model::CrossEncoder> encoder) {
  auto object = std::make_shared<RerankerObject>();
  object->encoder = std::move(encoder);
  return make_handle<cs_reranker>(std::move(object));
}

inline cs_model* make_model_handle(std::shared_ptr<model::SentenceEncoder> encoder) {
  auto object = std::make_shared<ModelObject>();
  object->encoder = std::move(encoder);
  return make_handle<cs_model>(std::move(object));
}

}  // namespace contrastive::capi
