// Collects config keys from all sources, in order of precedence: flag > --set > environment > file
// > default. cs_config_describe lists the keys.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capi/program/handle.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {

// Stores the command line, so that options on it can be told from options that the environment set.
// Call it once, first of all.
void remember_command_line(int count, const char* const* words);
const std::vector<std::string>& remembered_command_line();

class Settings {
 public:
  // `file`: a JSON file as cs_config_parse reads it, or "". `assignments`: "key=value" from --set.
  Settings(const std::string& file, const std::vector<std::string>& assignments);

  // Sets a key from an option. It overrides --set of the same key if the option is on the command
  // line, but not if it comes from the environment.
  void set_flag(const std::string& key, const std::string& value);
  void set_flag(const std::string& key, int64_t value) { set_flag(key, std::to_string(value)); }

  // Adds a topic that this verb reads. Add all topics before you call config().
  void use_topic(const std::string& topic);
  const std::vector<std::string>& keys(const std::string& topic) const { return topics_.at(topic); }
  // Ignores the environment's value of a key that this call does not use: it is meant for other
  // calls.
  void ignore_environment(const std::string& key);
  // The keys of one topic. With `catch_all` also the assigned keys that no topic of this verb
  // knows, so that the library refuses them by name.
  ConfigHandle config(const std::string& topic, bool catch_all) const;

 private:
  bool known(const std::string& key) const;
  void assign(const ConfigHandle& config, const std::string& key, const std::string& value) const;

  std::map<std::string, Json> file_;
  std::map<std::string, std::string> flags_;  // --set, then flags
  std::map<std::string, std::vector<std::string>> topics_;
  std::set<std::string> texts_;    // the keys of these topics whose values are strings
  std::set<std::string> ignored_;  // keys, in the environment
};

Json json_of(const cs_config* config);
// The value of a key as text, also if it is a number in the file (a path can be a number). "" if
// the key is not set.
std::string text_of(const Json& config, const std::string& key);

// Adds "device" and "precision" from `load`, or their defaults, to a training config that is to be
// checked: the model will be loaded with them.
void set_load_keys(cs_config* config, const Json& load);

// The environment variable for a key or option: "clsr.temperature" -> CONTRASTIVE_CLSR_TEMPERATURE.
std::string environment_name(const std::string& key);

}  // namespace contrastive::cli
