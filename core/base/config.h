// Configuration as data: dotted keys ("clsr.temperature") with JSON scalars or lists. The meaning
// of the keys is defined by options structs (options.h).
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/json.h"

namespace contrastive {

class Config {
 public:
  Config() = default;
  // Nested objects and dotted keys are equivalent: {"clsr": {"temperature": 0.1}} is
  // {"clsr.temperature": 0.1}. Throws kFormat and kLimit like parse_json.
  static Config parse(std::string_view json, const std::string& source = "config");

  // Sets a value as a user types it on a command line: JSON if it is a JSON scalar or list,
  // otherwise the text itself.
  void set(const std::string& key, const std::string& value);
  void set_json(const std::string& key, Json value);
  void erase(const std::string& key) { entries_.erase(key); }
  // Every entry of `other` replaces the entry with the same key here.
  void merge(const Config& other);

  const Json* find(const std::string& key) const;  // nullptr when absent
  bool has(const std::string& key) const { return find(key) != nullptr; }
  std::vector<std::string> keys() const;
  Json to_json() const;  // one flat object, keys sorted
  bool empty() const { return entries_.empty(); }

 private:
  std::map<std::string, Json> entries_;
};

}  // namespace contrastive
