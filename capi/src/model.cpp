// cs_model: loading, saving and describing models.
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "core/base/checked.h"
#include "core/io/classifier.h"
#include "core/model/load_model.h"
#include "core/model/model_recipe.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// Runs an accessor. Returns the number that `body` returns, or the status of its error.
template <class Body>
int32_t number_or_status(Body&& body) noexcept {
  int32_t number = 0;
  const cs_status status = guard(nullptr, [&] { number = body(); });
  return status < 0 ? status : number;
}

}  // namespace

cs_model* cs_model_load(const char* path, const cs_config* config, cs_error** error) {
  return construct(error, [&] {
    need_pointer(path, "path");
    const Config keys = config_or_empty(config);
    reject_unknown_keys(keys, describe_options<model::ModelOptions>());
    return make_model_handle(model::load_model(path, read_options<model::ModelOptions>(keys)));
  });
}

cs_model* cs_model_create(const cs_config* config, cs_error** error) {
  return construct(error, [&] {
    const Config keys = config_or_empty(config);
    reject_unknown_keys(keys, describe_options<model::ModelRecipe>());
    return make_model_handle(model::create_model(read_options<model::ModelRecipe>(keys)));
  });
}

cs_status cs_model_save(const cs_model* model, const char* path, cs_error** error) {
  return guard(error, [&] {
    const ModelUse use(model);
    use->save(need_pointer(path, "path"));
  });
}

int32_t cs_model_detect(const char* path) {
  return number_or_status([&] {
    return io::is_reranker_folder(need_pointer(path, "path")) ? CS_KIND_RERANKER : CS_KIND_ENCODER;
  });
}

int32_t cs_model_kind(const cs_model* model) {
  return number_or_status(
      [&] { return ModelUse(model).object().reranker ? CS_KIND_RERANKER : CS_KIND_ENCODER; });
}

int32_t cs_model_dimension(const cs_model* model) {
  return number_or_status([&] {
    return narrow<int32_t>(EncoderUse(model, "model", "").shared()->dimension(), "dimension");
  });
}

int32_t cs_model_labels(const cs_model* model) {
  return number_or_status(
      [&] { return narrow<int32_t>(RerankerUse(model, "model")->label_count(), "labels"); });
}

int32_t cs_model_max_length(const cs_model* model) {
  return number_or_status(
      [&] { return narrow<int32_t>(ModelUse(model)->max_length(), "maximum length"); });
}

int64_t cs_model_memory(const cs_model* model) {
  int64_t bytes = 0;
  const cs_status status =
      guard(nullptr, [&] { bytes = model::weight_bytes(*ModelUse(model).object().model); });
  return status < 0 ? status : bytes;
}

char* cs_model_info(const cs_model* model, cs_error** error) {
  return construct(error, [&] {
    const ModelUse use(model);
    Json info = use->info();
    info["kind"] = use.object().reranker ? "reranker" : "encoder";
    info["fingerprint"] = use.fingerprint();
    return copy_string(dump_ascii(info));
  });
}

cs_model* cs_model_snapshot(const cs_model* model, cs_error** error) {
  return construct(error, [&] {
    const ModelUse use(model);
    const ModelObject& object = use.object();
    return object.encoder ? make_model_handle(object.encoder->snapshot())
                          : make_model_handle(object.reranker->snapshot());
  });
}

void cs_model_free(cs_model* model) { release(model); }
