// The section "Configuration": the config of each run, with the values that differ from defaults.
#include <algorithm>
#include <map>
#include <set>

#include "capi/program/failure.h"
#include "capi/program/report/sections.h"
#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

struct Key {
  Json usual;  // its default; null if the library names none
  std::string help;
};
using Keys = std::map<std::string, Key>;

// The keys that a run of this method reads. For a method that the library does not know, only the
// keys that all methods share.
Keys keys_of(const std::string& method) {
  Keys keys;
  for (const std::string& topic : {std::string("data"), method}) {
    const String text(topic.empty() ? nullptr : cs_config_describe(topic.c_str(), nullptr));
    if (text == nullptr) continue;  // a method of another version
    for (const Json& row : Json::parse(text.get()))
      keys[row.value("key", "")] = {row.value("default", Json()), row.value("help", "")};
  }
  return keys;
}

bool usual(const Keys& keys, const std::string& name, const Json& value) {
  const auto found = keys.find(name);
  if (found == keys.end()) return false;
  const Json& by_default = found->second.usual;
  if (value.is_number() && by_default.is_number())
    return value.get<double>() == by_default.get<double>();
  return value == by_default ||
         (by_default.is_null() && value.is_string() && value.get<std::string>().empty());
}

std::string shown(const Json& value) {
  if (value.is_string() && value.get<std::string>().empty()) return "(none)";
  return plain_value(value);
}

}  // namespace

void write_configuration(Document& document, const Contents& contents) {
  std::set<std::string> names;
  std::vector<Keys> known;
  for (const Run& run : contents.runs) {
    for (const auto& entry : run.record.config.items()) names.insert(entry.key());
    known.push_back(keys_of(run.record.method));
  }
  if (names.empty()) return;
  Table chosen{{{"key", "key"}}, {}}, every = chosen;
  for (const Run& run : contents.runs) {
    const std::string head = contents.runs.size() > 1 ? run.record.letter : "value";
    chosen.head.push_back({head, ""});
    every.head.push_back({head, ""});
  }
  chosen.head.push_back({"meaning", ""});
  every.head.push_back({"default", ""});
  for (const std::string& name : names) {
    std::vector<Cell> row = {{name, "key"}};
    std::set<std::string> values, defaults;
    bool changed = false;
    std::string help;
    for (size_t i = 0; i < contents.runs.size(); ++i) {
      const Json& config = contents.runs[i].record.config;
      const auto found = config.find(name);
      if (found == config.end()) {
        row.push_back({"–", "default"});
        continue;
      }
      const bool same = usual(known[i], name, *found);
      row.push_back({shown(*found), same ? "value default" : "value changed"});
      changed = changed || !same;
      const auto key = known[i].find(name);
      if (key == known[i].end()) continue;
      help = key->second.help;
      defaults.insert(key->second.usual.is_null() ? "(none)" : shown(key->second.usual));
    }
    if (changed) {
      chosen.rows.push_back(row);
      chosen.rows.back().push_back({help, "default"});
    }
    std::string by_default;
    for (const std::string& one : defaults) by_default += (by_default.empty() ? "" : " / ") + one;
    row.push_back({by_default.empty() ? "–" : by_default, "value default"});
    every.rows.push_back(std::move(row));
  }
  document.section(
      "Configuration",
      "Config keys that differ from the default of the run's method. The file run.json in each "
      "folder repeats the run, with the "
      "same model and training file: contrastive train --config run.json --model ... --train ...");
  if (chosen.rows.empty()) {
    document.note("Every key has its default.");
  } else {
    document.table(chosen);
  }
  document.details("All " + std::to_string(every.rows.size()) + " keys", every);
}

}  // namespace contrastive::cli::report
