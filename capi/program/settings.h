// Config keys from everywhere, in order: flag > --set > environment > file > default. The keys
// themselves are the library's (cs_config_describe).
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "capi/program/handle.h"
#include "capi/program/terminal.h"

namespace contrastive::cli {

// The words of the command line: what tells an option that stands there from one that the
// environment gave. To be called once, before all else.
void remember_command_line(int count, const char* const* words);
const std::vector<std::string>& remembered_command_line();

class Settings {
 public:
  // `file`: JSON as cs_config_parse reads it, "" for none. `assignments`: "key=value" from --set.
  Settings(const std::string& file, const std::vector<std::string>& assignments);

  // What an option says; wins over --set of the same key where it stands on the command line, and
  // not where the environment gave it.
  void set_flag(const std::string& key, const std::string& value);
  void set_flag(const std::string& key, int64_t value) { set_flag(key, std::to_string(value)); }

  // Adds the topic to those that this verb reads. All topics are to be named before the first
  // config() is asked for.
  void use_topic(const std::string& topic);
  const std::vector<std::string>& keys(const std::string& topic) const { return topics_.at(topic); }
  // Of a key that has no use in what is asked for: then what the environment says is meant for
  // other calls.
  void ignore_environment(const std::string& key);
  // The keys of one topic. With `catch_all` also the assigned keys that no topic of this verb
  // knows, for the library to refuse by name.
  ConfigHandle config(const std::string& topic, bool catch_all) const;

 private:
  bool known(const std::string& key) const;
  void assign(const ConfigHandle& config, const std::string& key, const std::string& value) const;

  std::map<std::string, Json> file_;
  std::map<std::string, std::string> flags_;  // --set, then flags
  std::map<std::string, std::vector<std::string>> topics_;
  std::set<std::string> texts_;    // the keys of these topics whose values are texts
  std::set<std::string> ignored_;  // keys, in the environment
};

Json json_of(const cs_config* config);
// What a config says of a key as text: a number in a config file may stand for a path. "" where it
// says nothing.
std::string text_of(const Json& config, const std::string& key);

// Puts "device" and "precision", as `load` says or by default, into a training config that is to be
// checked: what its model will be loaded with.
void set_load_keys(cs_config* config, const Json& load);

// The environment variable for a key or option: "clsr.temperature" -> CONTRASTIVE_CLSR_TEMPERATURE.
std::string environment_name(const std::string& key);

}  // namespace contrastive::cli
