// cs_dataset: training examples, from a file or from the caller.
#include <functional>

#include "capi/src/arrays.h"
#include "capi/src/examples.h"
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

cs_dataset* make_dataset_handle(std::shared_ptr<data::Dataset> data) {
  auto object = std::make_shared<DatasetObject>();
  object->data = std::move(data);
  return make_handle<cs_dataset>(std::move(object));
}

// Adds an example. kBusy if another thread uses the dataset, kState if a trainer uses it.
void add_example(cs_dataset* data, const std::function<data::Example()>& make) {
  const auto object = need(data, "data");
  const Exclusive use(object->busy, "dataset");
  check(object->trainers == 0, Status::kState,
        "a trainer uses the dataset: add examples before you make the trainer, or free it first");
  object->data->add(make());
}

}  // namespace

cs_dataset* cs_dataset_open(const char* path, const cs_config* config, cs_error** error) {
  return construct(error, [&] {
    need_pointer(path, "path");
    return make_dataset_handle(data::open_dataset(path, config_or_empty(config)));
  });
}

cs_dataset* cs_dataset_new(cs_error** error) {
  return construct(error, [] { return make_dataset_handle(data::make_dataset()); });
}

cs_status cs_dataset_add(cs_dataset* data, const char* text_a, int64_t length_a, const char* text_b,
                         int64_t length_b, double label, cs_error** error) {
  return guard(error, [&] {
    add_example(data, [&] {
      data::Example example;
      example.a = text_argument(text_a, length_a, "text_a");
      example.has_b = text_b != nullptr;
      if (example.has_b) example.b = text_argument(text_b, length_b, "text_b");
      example.label = label;
      return example;
    });
  });
}

cs_status cs_dataset_add_texts(cs_dataset* data, const char* const* texts, const int64_t* lengths,
                               int32_t columns, double label, cs_error** error) {
  return guard(error, [&] {
    add_example(data, [&] {
      check_columns(columns);
      const auto views = text_arguments(texts, lengths, columns);
      return make_example(views.data(), columns, label);
    });
  });
}

int64_t cs_dataset_size(const cs_dataset* data) {
  int64_t size = 0;
  const cs_status status = guard(nullptr, [&] {
    const auto object = need(data, "data");
    const Exclusive use(object->busy, "dataset");
    size = object->data->size();
  });
  return status < 0 ? status : size;
}

void cs_dataset_free(cs_dataset* data) { release(data); }
