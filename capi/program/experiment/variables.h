// ${NAME} in the texts of an experiment file: folders and files of a machine, and what is tried
// out.
#pragma once

#include <map>
#include <string>

#include "capi/program/terminal.h"

namespace contrastive::cli {

class Variables {
 public:
  // `defines`: "NAME=VALUE" of the command line, which go before the environment, which goes before
  // `defaults`, the file's own.
  Variables(const std::vector<std::string>& defines, const Json& defaults);

  // `value` with every ${NAME} replaced, in nested texts too. A text that is nothing but one
  // ${NAME} becomes a number or truth value where that is what NAME holds. Texts of the file's own
  // defaults may have variables in turn. kExitUsage naming `key`, where `value` stands, for a name
  // that is not known. ${SEED} is left alone: it is the run's.
  Json resolve(const Json& value, const std::string& key) const;

 private:
  struct Value {
    Json whole;        // what a text that is nothing but the variable becomes
    std::string text;  // what stands inside another text: as it was typed
  };
  Value value_of(const std::string& name, const std::string& key, int depth) const;
  Json resolve_text(const std::string& text, const std::string& key, int depth) const;

  std::map<std::string, std::string> defines_;
  std::map<std::string, Json> defaults_;
};

// `value` with ${SEED} replaced.
Json with_seed(const Json& value, int64_t seed);

// What a person typed: JSON where it is a number, a truth value or a list, else text.
Json typed_value(const std::string& text);

}  // namespace contrastive::cli
