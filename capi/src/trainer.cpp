// cs_trainer: a training run that the caller drives step by step.
#include <cmath>
#include <limits>
#include <optional>

#include "capi/src/arrays.h"
#include "capi/src/examples.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// A trainer in use by this thread.
class TrainerUse {
 public:
  explicit TrainerUse(const cs_trainer* trainer)
      : object_(need(trainer, "trainer")), use_(object_->busy, "trainer") {}
  training::Trainer* operator->() const { return object_->trainer.get(); }

 private:
  std::shared_ptr<TrainerObject> object_;
  Exclusive use_;
};

// Makes a trainer. `make` gets the model that training starts from and the examples.
template <class Make>
cs_trainer* make_trainer(const cs_model* model, const cs_dataset* data, Make&& make) {
  const std::shared_ptr<model::Model> start = need(model, "model")->model;
  const auto object =
      std::make_shared<TrainerObject>(data == nullptr ? nullptr : need(data, "data"));
  std::shared_ptr<const data::Dataset> examples;
  if (object->data != nullptr) {
    // A thread that adds to the dataset now either has finished, or this call fails with kBusy.
    const Exclusive use(object->data->busy, "dataset");
    examples = object->data->data;
  }
  object->trainer = make(start, examples);
  return make_handle<cs_trainer>(object);
}

// Converts the C API's flag, which must be 0 or 1.
bool is_best(int32_t best) {
  check(best == 0 || best == 1, Status::kArgument, "best is ", best,
        ": 0 (the weights as they are now) or 1 (the best ones) is needed");
  return best == 1;
}

std::vector<data::Example> make_examples(const std::vector<std::string_view>& texts,
                                         int32_t columns, const double* labels) {
  std::vector<data::Example> batch;
  for (size_t first = 0; first < texts.size(); first += static_cast<size_t>(columns)) {
    batch.push_back(make_example(texts.data() + first, columns,
                                 labels != nullptr ? labels[batch.size()]
                                                   : std::numeric_limits<double>::quiet_NaN()));
  }
  return batch;
}

// `texts(n)` returns views of n = n_examples * columns texts.
template <class Texts>
cs_status train_batch(cs_trainer* trainer, Texts&& texts, int64_t n_examples, int32_t columns,
                      const double* labels, const cs_cancel* cancel, cs_error** error) {
  return guard(error, [&] {
    const TrainerUse use(trainer);
    const auto flag = cancel_or_none(cancel);
    check_columns(columns);
    check(n_examples >= 1, Status::kArgument, "n_examples is ", n_examples,
          ": at least one is needed");
    return use->step_batch(make_examples(texts(count_elements(n_examples, columns, "texts")),
                                         columns, labels),
                           flag.get());
  });
}

}  // namespace

cs_trainer* cs_trainer_new(cs_model* model, const cs_dataset* data, const cs_config* config,
                           cs_error** error) {
  return construct(error, [&] {
    const auto object = need(config, "config");
    const Exclusive use(object->busy, "config");
    return make_trainer(model, data, [&](const auto& start, const auto& examples) {
      return training::make_trainer(start, examples, object->config);
    });
  });
}

cs_trainer* cs_trainer_resume(const char* path, cs_model* model, const cs_dataset* data,
                              const cs_config* overrides, cs_error** error) {
  return construct(error, [&] {
    need_pointer(path, "path");
    const Config keys = config_or_empty(overrides);
    return make_trainer(model, data, [&](const auto& start, const auto& examples) {
      return training::resume_trainer(path, start, examples, keys);
    });
  });
}

cs_status cs_trainer_check(const cs_config* config, const cs_dataset* data, const char* model_path,
                           cs_error** error) {
  return guard(error, [&] {
    const auto object = need(config, "config");
    const Exclusive use(object->busy, "config");
    const auto examples = data == nullptr ? nullptr : need(data, "data");
    std::optional<Exclusive> reading;
    if (examples != nullptr) reading.emplace(examples->busy, "dataset");
    training::check_config(object->config, examples == nullptr ? nullptr : examples->data,
                           model_path == nullptr ? std::nullopt
                                                 : std::make_optional<std::string>(model_path));
  });
}

cs_status cs_train_step(cs_trainer* trainer, const cs_cancel* cancel, cs_error** error) {
  return guard(error, [&] {
    const TrainerUse use(trainer);
    const auto flag = cancel_or_none(cancel);
    return use->step(flag.get());
  });
}

cs_status cs_train_batch(cs_trainer* trainer, const char* const* texts, const int64_t* lengths,
                         int64_t n_examples, int32_t columns, const double* labels,
                         const cs_cancel* cancel, cs_error** error) {
  return train_batch(
      trainer, [&](int64_t n) { return text_arguments(texts, lengths, n); }, n_examples, columns,
      labels, cancel, error);
}

cs_status cs_train_batch_packed(cs_trainer* trainer, const char* data, const int32_t* offsets,
                                int64_t n_examples, int32_t columns, const double* labels,
                                const cs_cancel* cancel, cs_error** error) {
  return train_batch(
      trainer, [&](int64_t n) { return packed_arguments(data, offsets, n); }, n_examples, columns,
      labels, cancel, error);
}

cs_status cs_trainer_evaluate(cs_trainer* trainer, const cs_cancel* cancel, cs_error** error) {
  return guard(error, [&] {
    const TrainerUse use(trainer);
    const auto flag = cancel_or_none(cancel);
    use->evaluate(flag.get());
  });
}

double cs_trainer_metric(const cs_trainer* trainer, const char* name) {
  double value = std::numeric_limits<double>::quiet_NaN();
  guard(nullptr, [&] { value = TrainerUse(trainer)->metric(need_pointer(name, "name")); });
  return value;
}

char* cs_trainer_metrics(const cs_trainer* trainer, cs_error** error) {
  return construct(error, [&] {
    const TrainerUse use(trainer);
    Json values = Json::object();
    for (const std::string& name : use->metric_names()) {
      const double value = use->metric(name);
      values[name] = std::isfinite(value) ? Json(value) : Json(nullptr);
    }
    return copy_string(dump_ascii(values));
  });
}

char* cs_trainer_config(const cs_trainer* trainer, cs_error** error) {
  return construct(error, [&] {
    return copy_string(dump_ascii(TrainerUse(trainer)->resolved_config().to_json()));
  });
}

cs_model* cs_trainer_model(const cs_trainer* trainer, int32_t best, cs_error** error) {
  return construct(error, [&] {
    const TrainerUse use(trainer);
    return make_model_handle(use->result(is_best(best)));
  });
}

cs_status cs_trainer_save(const cs_trainer* trainer, const char* path, cs_error** error) {
  return guard(error, [&] {
    const TrainerUse use(trainer);
    use->save(need_pointer(path, "path"));
  });
}

cs_status cs_trainer_save_best(const cs_trainer* trainer, const char* path, cs_error** error) {
  return guard(error, [&] {
    const TrainerUse use(trainer);
    use->save_best(need_pointer(path, "path"));
  });
}

void cs_trainer_free(cs_trainer* trainer) { release(trainer); }
