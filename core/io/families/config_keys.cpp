#include "core/io/families/config_keys.h"

#include <limits>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::io {
namespace {

using encoder::Activation;

struct NamedActivation {
  const char* name;
  Activation value;
};

// The first name of a value is the one that is written.
constexpr NamedActivation kActivations[] = {{"gelu", Activation::kGeluErf},
                                            {"gelu_python", Activation::kGeluErf},
                                            {"gelu_new", Activation::kGeluTanh},
                                            {"gelu_pytorch_tanh", Activation::kGeluTanh},
                                            {"gelu_fast", Activation::kGeluTanh},
                                            {"gelu_python_tanh", Activation::kGeluTanh},
                                            {"gelu_accurate", Activation::kGeluTanh},
                                            {"relu", Activation::kRelu},
                                            {"silu", Activation::kSilu},
                                            {"swish", Activation::kSilu},
                                            {"tanh", Activation::kTanh},
                                            {"sigmoid", Activation::kSigmoid},
                                            {"mish", Activation::kMish},
                                            {"quick_gelu", Activation::kQuickGelu}};

const char* name_of(Activation value) {
  for (const NamedActivation& row : kActivations) {
    if (row.value == value) return row.name;
  }
  fail(Status::kInternal, "an activation without a name");
}

}  // namespace

Activation activation_named(const std::string& key, const std::string& name,
                            const std::string& source) {
  std::vector<std::string> names;
  for (const NamedActivation& row : kActivations) {
    if (name == row.name) return row.value;
    names.emplace_back(row.name);
  }
  fail(Status::kUnsupported, source, ": ", unknown_name(key, name, names));
}

std::string ConfigKeys::present(Names names) const {
  for (const char* name : names) {
    const bool there =
        reads() ? json_->has(name) : config_->contains(name) && !(*config_)[name].is_null();
    if (there) return name;
  }
  return *names.begin();
}

std::string ConfigKeys::noted(Names names) {
  const std::string name = present(names);
  if (!json_->has(name)) defaulted_ += (defaulted_.empty() ? "" : ", ") + name;
  return name;
}

void ConfigKeys::size(Names names, int64_t& value, int64_t most, int64_t fallback) {
  if (!reads()) return set(present(names).c_str(), value);
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  const std::string key = present(names);
  value = fallback == kMustBeThere ? json_->integer(key, 1, kAny)
                                   : json_->integer(noted(names), 1, kAny, fallback);
  check(value <= most, Status::kLimit, json_->source(), ": ", key, " is ", value,
        ", above the limit of ", most);
}

void ConfigKeys::integer(Names names, int64_t& value, int64_t low, int64_t high, int64_t fallback) {
  if (!reads()) return set(present(names).c_str(), value);
  value = json_->integer(noted(names), low, high, fallback);
}

void ConfigKeys::real(Names names, double& value, double low, double high, double fallback) {
  if (!reads()) return set(present(names).c_str(), value);
  value = json_->real(noted(names), low, high, fallback);
}

void ConfigKeys::activation(Names names, Activation& value, const char* fallback) {
  const std::string key = present(names);
  if (reads()) {
    value = activation_named(key, json_->string(noted(names), fallback), json_->source());
    return;
  }
  // "gelu_fast" stays "gelu_fast": a name is replaced only if it means another function.
  const auto there = config_->find(key);
  for (const NamedActivation& row : kActivations) {
    if (there != config_->end() && *there == row.name && row.value == value) return;
  }
  set(key.c_str(), name_of(value));
}

void ConfigKeys::flag(Names names, bool& value, bool fallback) {
  const std::string key = present(names);
  if (reads()) value = json_->boolean(key, fallback);
  else if (value != fallback || config_->contains(key)) set(key.c_str(), value);
}

void ConfigKeys::only(const char* key, bool fallback) const {
  if (!reads()) return;
  check(json_->boolean(key, fallback) == fallback, Status::kUnsupported, json_->source(), ": ", key,
        " is ", fallback ? "false" : "true", "; only ", fallback ? "true" : "false", " is read");
}

void ConfigKeys::only(const char* key, int64_t fallback) const {
  if (!reads()) return;
  constexpr int64_t kAny = std::numeric_limits<int64_t>::max();
  const int64_t value = json_->integer(key, -kAny, kAny, fallback);
  check(value == fallback, Status::kUnsupported, json_->source(), ": ", key, " is ", value,
        "; only ", fallback, " is read");
}

void ConfigKeys::only(const char* key, const std::string& fallback) const {
  if (!reads()) return;
  const std::string value = json_->string(key, fallback);
  check(value == fallback, Status::kUnsupported, json_->source(), ": ", key, " '",
        value.substr(0, 60), "' is not known; known: ", fallback);
}

void ConfigKeys::absent(const char* key) const {
  if (!reads()) return;
  check(!json_->has(key), Status::kUnsupported, json_->source(), ": ", key,
        " is set; an encoder with it is not read");
}

double ConfigKeys::rotary_base(const char* key, const char* layers, double fallback) {
  constexpr double kLargest = 1e12;
  absent("rope_scaling");
  if (!json_->has("rope_parameters")) return json_->real(key, 1.0, kLargest, fallback);
  const JsonObject all(json_->at("rope_parameters"), json_->source() + ": rope_parameters");
  if (layers != nullptr && !all.has(layers)) return json_->real(key, 1.0, kLargest, fallback);
  const JsonObject own(layers != nullptr ? all.at(layers) : json_->at("rope_parameters"),
                       all.source() + (layers != nullptr ? cat(".", layers) : ""));
  // `type` is the older name
  const std::string type = own.string("rope_type", own.string("type", "default"));
  check(type == "default", Status::kUnsupported, own.source(), ": rope_type '", type.substr(0, 60),
        "' is not known; known: default");
  check(own.real("partial_rotary_factor", 0.0, 1.0, 1.0) == 1, Status::kUnsupported, own.source(),
        ": partial_rotary_factor is not 1; only heads that are turned whole are read");
  return own.real("rope_theta", 1.0, kLargest, json_->real(key, 1.0, kLargest, fallback));
}

void ConfigKeys::set(const char* key, const Json& value) {
  if (!reads()) (*config_)[key] = value;
}

void ConfigKeys::note(const std::string& sentence) {
  if (reads()) notes_->push_back(sentence);
}

void ConfigKeys::finish() {
  if (!defaulted_.empty())
    notes_->push_back("config.json states no " + defaulted_ + ": transformers' defaults are used");
}

}  // namespace contrastive::io
