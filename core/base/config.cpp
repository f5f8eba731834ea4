#include "core/base/config.h"

#include <cctype>

#include "core/base/error.h"

namespace contrastive {
namespace {

void flatten(const std::string& prefix, const Json& value, const std::string& source,
             Config& into) {
  for (const auto& [name, child] : value.items()) {
    const std::string key = prefix.empty() ? name : prefix + "." + name;
    if (child.is_object()) {
      flatten(key, child, source, into);
    } else {
      check(into.find(key) == nullptr, Status::kFormat, source, ": config key '", key,
            "' appears twice, once with dots and once as objects");
      into.set_json(key, child);
    }
  }
}

void check_key(const std::string& key) {
  bool legal = !key.empty() && key.size() <= 200;
  for (const char c : key)
    legal =
        legal && (std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '-' || c == '.');
  check(legal, Status::kArgument, "'", key.substr(0, 100),
        "' is not a config key: letters, digits, '_', '-' and '.' make one");
}

}  // namespace

Config Config::parse(std::string_view json, const std::string& source) {
  const Json document = parse_json(json, source);
  check(document.is_object(), Status::kFormat, source, ": a JSON object is needed");
  Config config;
  flatten("", document, source, config);
  return config;
}

void Config::set(const std::string& key, const std::string& value) {
  Json parsed;
  try {
    parsed = parse_json(value, "config key '" + key.substr(0, 100) + "'");
  } catch (const Error& error) {
    if (error.status() != Status::kFormat) throw;  // an error, not text: too deeply nested
  }
  const bool scalar_or_list = !parsed.is_object() && !parsed.is_null();
  set_json(key, scalar_or_list ? std::move(parsed) : Json(value));
}

void Config::set_json(const std::string& key, Json value) {
  check_key(key);
  check(!value.is_object(), Status::kArgument, "config key '", key,
        "' wants a value, not an object");
  entries_[key] = std::move(value);
}

void Config::merge(const Config& other) {
  for (const auto& [key, value] : other.entries_) entries_[key] = value;
}

const Json* Config::find(const std::string& key) const {
  const auto it = entries_.find(key);
  return it == entries_.end() ? nullptr : &it->second;
}

std::vector<std::string> Config::keys() const {
  std::vector<std::string> names;
  for (const auto& entry : entries_) names.push_back(entry.first);
  return names;
}

Json Config::to_json() const {
  Json document = Json::object();
  for (const auto& [key, value] : entries_) document[key] = value;
  return document;
}

}  // namespace contrastive
