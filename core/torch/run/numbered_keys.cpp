#include "core/torch/run/numbered_keys.h"

#include <vector>

namespace contrastive::run {
namespace {

void replace_all(std::string& text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
}

}  // namespace

std::optional<NumberedKey> parse_numbered_key(const std::string& key, const std::string& noun) {
  const size_t digits = noun.size(), dot = key.find('.');
  const bool one = key.rfind(noun, 0) == 0 && dot != std::string::npos && dot > digits &&
                   dot < digits + 4 && key[digits] != '0' &&
                   key.find_first_not_of("0123456789", digits) == dot;
  if (!one) return std::nullopt;
  return NumberedKey{static_cast<size_t>(std::stoul(key.substr(digits, dot - digits))) - 1,
                     key.substr(dot + 1)};
}

std::string prefix_of_part(const std::string& noun, size_t part) {
  return cat(noun, part + 1, ".");
}

Config keys_under(const Config& config, const std::string& prefix) {
  Config part;
  for (const std::string& key : config.keys()) {
    if (key.rfind(prefix, 0) == 0) part.set_json(key.substr(prefix.size()), *config.find(key));
  }
  return part;
}

std::string with_prefix(std::string message, const Config& whole, const std::string& prefix) {
  const std::vector<std::string> given = keys_under(whole, prefix).keys();
  const std::string hint = "did you mean '";
  for (const std::string& key :
       given) {  // the hint is not a given key; a given key is renamed only once
    if (message.rfind("unknown config key '" + key + "'", 0) == 0)
      replace_all(message, hint, hint + "\n");
  }
  for (const std::string& key : given)
    replace_all(message, "'" + key + "'", "'" + prefix + key + "'");
  replace_all(message, hint + "\n", hint + prefix);
  return message;
}

}  // namespace contrastive::run
