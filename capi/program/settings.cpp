#include "capi/program/settings.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "capi/program/failure.h"
#include "capi/program/files.h"

namespace contrastive::cli {
namespace {

bool contains(const std::vector<std::string>& keys, const std::string& key) {
  return std::find(keys.begin(), keys.end(), key) != keys.end();
}

std::vector<std::string> command_line;

// Whether the `value` of an option comes from the environment.
bool from_environment(const std::string& key, const std::string& value) {
  const std::string name = environment_name(key);
  const char* const given = std::getenv(name.c_str());
  if (given == nullptr || value != given) return false;
  return std::none_of(command_line.begin(), command_line.end(), [&](const std::string& word) {
    return word.rfind("--", 0) == 0 && environment_name(word.substr(2, word.find('=') - 2)) == name;
  });
}

}  // namespace

void remember_command_line(int count, const char* const* words) {
  command_line.assign(words, words + count);
}

const std::vector<std::string>& remembered_command_line() { return command_line; }

std::string environment_name(const std::string& key) {
  std::string name = "CONTRASTIVE_";
  for (const char c : key)
    name += std::isalnum(static_cast<unsigned char>(c))
                ? static_cast<char>(std::toupper(static_cast<unsigned char>(c)))
                : '_';
  return name;
}

Settings::Settings(const std::string& file, const std::vector<std::string>& assignments) {
  if (!file.empty()) {
    Outcome outcome;
    const ConfigHandle parsed(cs_config_parse(read_text_file(file).c_str(), outcome));
    try {
      outcome.check();
    } catch (Failure& failure) {
      throw failure.at(file);
    }
    const String flat(cs_config_to_json(parsed.get(), nullptr));
    const Json entries = Json::parse(flat.get());
    for (const auto& [key, value] : entries.items()) file_[key] = value;
  }
  for (const std::string& assignment : assignments) {
    const size_t equals = assignment.find('=');
    if (equals == std::string::npos || equals == 0)
      throw usage_failure("--set '" + assignment + "': key=value is needed");
    flags_[assignment.substr(0, equals)] = assignment.substr(equals + 1);
  }
}

void Settings::set_flag(const std::string& key, const std::string& value) {
  if (flags_.count(key) == 0 || !from_environment(key, value)) flags_[key] = value;
}

void Settings::ignore_environment(const std::string& key) {
  ignored_.insert(key);
  const auto flag = flags_.find(key);
  if (flag != flags_.end() && from_environment(key, flag->second)) flags_.erase(flag);
}

void Settings::use_topic(const std::string& topic) {
  Outcome outcome;
  const String text(cs_config_describe(topic.c_str(), outcome));
  outcome.check();
  std::vector<std::string> keys;
  for (const Json& row : Json::parse(text.get())) {
    keys.push_back(row["key"].get<std::string>());
    if (row["type"] == "string") texts_.insert(keys.back());
  }
  topics_[topic] = std::move(keys);
}

void Settings::assign(const ConfigHandle& config, const std::string& key,
                      const std::string& value) const {
  // cs_config_set would read a file name 1.10 as the number 1.1.
  const bool guessed = texts_.count(key) > 0 && Json::accept(value) && value.front() != '"';
  Outcome outcome;
  cs_config_set(config.get(), key.c_str(), guessed ? Json(value).dump().c_str() : value.c_str(),
                outcome);
  outcome.check();
}

bool Settings::known(const std::string& key) const {
  return std::any_of(topics_.begin(), topics_.end(),
                     [&](const auto& topic) { return contains(topic.second, key); });
}

ConfigHandle Settings::config(const std::string& topic, bool catch_all) const {
  const std::vector<std::string>& keys = topics_.at(topic);
  const auto belongs = [&](const std::string& key) {
    return contains(keys, key) || (catch_all && !known(key));
  };
  Outcome outcome;
  Json below = Json::object();
  for (const auto& [key, value] : file_) {
    if (belongs(key)) below[key] = value;
  }
  ConfigHandle config(cs_config_parse(below.dump().c_str(), outcome));
  outcome.check();
  for (const std::string& key : keys) {
    if (ignored_.count(key) > 0) continue;
    if (const char* value = std::getenv(environment_name(key).c_str())) assign(config, key, value);
  }
  for (const auto& [key, value] : flags_) {
    if (belongs(key)) assign(config, key, value);
  }
  return config;
}

Json json_of(const cs_config* config) {
  Outcome outcome;
  const String text(cs_config_to_json(config, outcome));
  outcome.check();
  return Json::parse(text.get());
}

std::string text_of(const Json& config, const std::string& key) {
  const auto value = config.find(key);
  if (value == config.end()) return "";
  return value->is_string() ? value->get<std::string>() : value->dump();
}

void set_load_keys(cs_config* config, const Json& load) {
  for (const auto& [key, standard] :
       {std::pair("device", "cpu"), std::pair("precision", "float32")}) {
    const auto given = load.find(key);
    Outcome outcome;
    cs_config_set(config, key,
                  given != load.end() && given->is_string() ? given->get<std::string>().c_str()
                                                            : standard,
                  outcome);
    outcome.check();
  }
}

}  // namespace contrastive::cli
