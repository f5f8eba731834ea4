// cs_model: loading, saving, describing.
#include "capi/src/guard.h"
#include "capi/src/model_objects.h"
#include "core/base/checked.h"
#include "core/model/model_recipe.h"

using namespace contrastive;
using namespace contrastive::capi;

namespace {

// The accessors' shape: a number that is not negative, or the status that says why there is none.
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
    reject_unknown_keys(keys, describe_options<model::LoadOptions>());
    return make_model_handle(
        model::SentenceEncoder::load(path, read_options<model::LoadOptions>(keys)));
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

int32_t cs_model_dimension(const cs_model* model) {
  return number_or_status(
      [&] { return narrow<int32_t>(ModelUse(model)->dimension(), "dimension"); });
}

int32_t cs_model_max_length(const cs_model* model) {
  return number_or_status(
      [&] { return narrow<int32_t>(ModelUse(model)->max_length(), "maximum length"); });
}

char* cs_model_info(const cs_model* model, cs_error** error) {
  return construct(error, [&] {
    const ModelUse use(model);
    Json info = use->info();
    info["fingerprint"] = use.fingerprint();
    return copy_string(dump_ascii(info));
  });
}

cs_model* cs_model_snapshot(const cs_model* model, cs_error** error) {
  return construct(error, [&] { return make_model_handle(ModelUse(model)->snapshot()); });
}

void cs_model_free(cs_model* model) { release(model); }
