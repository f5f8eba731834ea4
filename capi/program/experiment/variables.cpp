#include "capi/program/experiment/variables.h"

#include <cstdlib>

#include "capi/program/failure.h"
#include "capi/program/json_of.h"

namespace contrastive::cli {
namespace {

constexpr const char* kSeed = "SEED";
constexpr int kDeepest = 16;  // of variables in variables

// The texts of `value`, each through `change`.
template <class Change>
Json each_text(const Json& value, const std::string& key, const Change& change) {
  if (value.is_string()) return change(value.get<std::string>(), key);
  if (!value.is_structured()) return value;
  Json changed = value.is_array() ? Json::array() : Json::object();
  for (const auto& [name, item] : value.items()) {
    Json part = each_text(item, key.empty() ? name : key + "." + name, change);
    if (value.is_array()) {
      changed.push_back(std::move(part));
    } else {
      changed[name] = std::move(part);
    }
  }
  return changed;
}

// What is no UTF-8 can stand in no JSON document, and so in no config and no record.
void need_utf8(const std::string& text, const std::string& where) {
  try {
    static_cast<void>(Json(text).dump());
  } catch (const Json::type_error&) {
    throw usage_failure(where + " is not UTF-8: give it in UTF-8");
  }
}

}  // namespace

Json typed_value(const std::string& text) {
  Json value = json_of(text);
  return value.is_number() || value.is_boolean() || value.is_array() ? value : Json(text);
}

Variables::Variables(const std::vector<std::string>& defines, const Json& defaults) {
  for (const std::string& define : defines) {
    const size_t equals = define.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_failure("--define '" + define + "': NAME=VALUE is needed");
    need_utf8(define, "--define '" + define + "'");
    const std::string name = define.substr(0, equals);
    if (name == kSeed)
      throw usage_failure("--define SEED: the seeds are those of the key 'seeds', or of --seeds");
    defines_[name] = define.substr(equals + 1);
  }
  for (const auto& [name, value] : defaults.items()) defaults_[name] = value;
}

Variables::Value Variables::value_of(const std::string& name, const std::string& key,
                                     int depth) const {
  if (const auto found = defines_.find(name); found != defines_.end())
    return {typed_value(found->second), found->second};
  if (const char* value = std::getenv(name.c_str())) {
    need_utf8(value, "the environment variable " + name);
    return {typed_value(value), value};
  }
  if (const auto found = defaults_.find(name); found != defaults_.end()) {
    if (!found->second.is_string()) return {found->second, found->second.dump()};
    const Json value =
        resolve_text(found->second.get<std::string>(), "variables." + name, depth + 1);
    return {value, value.is_string() ? value.get<std::string>() : value.dump()};
  }
  throw usage_failure("key '" + key + "': ${" + name + "} is not known",
                      "--define " + name + "=..., or the environment variable " + name +
                          ", says what it is");
}

Json Variables::resolve_text(const std::string& text, const std::string& key, int depth) const {
  if (depth > kDeepest)
    throw usage_failure("key '" + key + "': its variables name each other in a circle");
  std::string resolved;
  for (size_t at = 0; at < text.size();) {
    const size_t begin = text.find("${", at);
    if (begin == std::string::npos) return resolved + text.substr(at);
    const size_t end = text.find('}', begin);
    if (end == std::string::npos)
      throw usage_failure("key '" + key + "': '" + text + "' has a ${ without its }");
    const std::string name = text.substr(begin + 2, end - begin - 2);
    resolved += text.substr(at, begin - at);
    at = end + 1;
    if (name == kSeed) {
      resolved += "${SEED}";
      continue;
    }
    const Value value = value_of(name, key, depth);
    if (begin == 0 && at == text.size()) return value.whole;
    resolved += value.text;
  }
  return resolved;
}

Json Variables::resolve(const Json& value, const std::string& key) const {
  return each_text(value, key, [this](const std::string& text, const std::string& where) {
    return resolve_text(text, where, 0);
  });
}

Json with_seed(const Json& value, int64_t seed) {
  return each_text(value, "", [&](std::string text, const std::string&) -> Json {
    const std::string mark = "${SEED}";
    if (text == mark) return seed;
    for (size_t at = text.find(mark); at != std::string::npos; at = text.find(mark, at))
      text.replace(at, mark.size(), std::to_string(seed));
    return text;
  });
}

}  // namespace contrastive::cli
