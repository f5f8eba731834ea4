// What stands behind the handles of models, datasets and trainers, and who may use a model when.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>

#include "capi/src/objects.h"
#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"
#include "core/train/trainer.h"

namespace contrastive::capi {

// Lets many threads use a model, or one trainer change it.
class ModelGate {
 public:
  // A use of the model for as long as it lives; kBusy while a trainer works on it.
  class Use {
   public:
    explicit Use(ModelGate& gate);
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    ModelGate& gate_;
  };
  // A trainer's work on it: new uses are refused, running ones are waited for; kBusy while another trainer works on it.
  class Change {
   public:
    explicit Change(ModelGate& gate);
    ~Change();
    Change(const Change&) = delete;
    Change& operator=(const Change&) = delete;

   private:
    ModelGate& gate_;
  };

 private:
  std::mutex mutex_;
  std::condition_variable idle_;
  int64_t uses_ = 0;
  bool changing_ = false;
};

struct ModelObject {
  std::shared_ptr<model::SentenceEncoder> encoder;
  ModelGate gate;
};

struct DatasetObject {
  std::shared_ptr<data::Dataset> data;
  std::atomic<bool> busy{false};
  std::atomic<bool> in_training{false};  // from then on it does not grow
};

struct TrainerObject {
  std::shared_ptr<ModelObject> model;
  std::shared_ptr<DatasetObject> data;
  std::unique_ptr<train::Trainer> trainer;
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

// A model that is in use for encoding as long as this lives: kHandle, kBusy.
class ModelUse {
 public:
  explicit ModelUse(const cs_model* model) : object_(need(model, "model")), use_(object_->gate) {}
  const model::SentenceEncoder& operator*() const { return *object_->encoder; }
  const model::SentenceEncoder* operator->() const { return object_->encoder.get(); }

 private:
  std::shared_ptr<ModelObject> object_;
  ModelGate::Use use_;
};

}  // namespace contrastive::capi
