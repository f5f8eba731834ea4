// cs_config: keys and values, not yet interpreted. describe.cpp lists the known keys.
#include "capi/src/guard.h"
#include "capi/src/objects.h"

using namespace contrastive;
using namespace contrastive::capi;

cs_config* cs_config_parse(const char* json, cs_error** error) {
  return construct(error, [&] {
    auto object = std::make_shared<ConfigObject>();
    if (json != nullptr) object->config = Config::parse(json);
    return make_handle<cs_config>(std::move(object));
  });
}

cs_status cs_config_set(cs_config* config, const char* key, const char* value, cs_error** error) {
  return guard(error, [&] {
    const auto object = need(config, "config");
    const Exclusive use(object->busy, "config");
    object->config.set(need_pointer(key, "key"), need_pointer(value, "value"));
  });
}

cs_status cs_config_merge(cs_config* config, const cs_config* other, cs_error** error) {
  return guard(error, [&] {
    const auto object = need(config, "config");
    const auto source = need(other, "other");
    check(object != source, Status::kArgument, "a config cannot be merged with itself");
    const Exclusive use(object->busy, "config");
    const Exclusive read(source->busy, "config");
    object->config.merge(source->config);
  });
}

char* cs_config_to_json(const cs_config* config, cs_error** error) {
  return construct(error, [&] {
    const auto object = need(config, "config");
    const Exclusive use(object->busy, "config");
    return copy_string(dump_ascii(object->config.to_json()));
  });
}

void cs_config_free(cs_config* config) { release(config); }
