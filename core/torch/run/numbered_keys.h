// Keys of one part of a run among several, by its number: "stage2.lr" is key "lr" of the second
// stage. A part is configured by keys without the prefix, so what is wrong with it is said in
// those; the person who wrote the config wants the keys that stand there.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "core/base/config.h"
#include "core/base/error.h"

namespace contrastive::run {

struct NumberedKey {
  size_t part = 0;  // from 0
  std::string name;
};
// "task2.lr" with `noun` "task" is {1, "lr"}; nothing for any other form. Parts are counted from 1,
// to 999.
std::optional<NumberedKey> parse_numbered_key(const std::string& key, const std::string& noun);
std::string prefix_of_part(const std::string& noun, size_t part);  // "task2."

// The entries of `config` under `prefix`, without it.
Config keys_under(const Config& config, const std::string& prefix);

// `message` about keys of the part behind `prefix`, with those keys as `whole` has them:
// 'task2.lrr', not 'lrr'.
std::string with_prefix(std::string message, const Config& whole, const std::string& prefix);

// What `body` finds wrong with part `part` of `whole` is said of the keys as they were given.
template <class Body>
auto of_part(const Config& whole, const std::string& noun, size_t part, const Body& body) {
  try {
    return body();
  } catch (const Error& error) {
    fail(error.status(), with_prefix(error.message(), whole, prefix_of_part(noun, part)), " (",
         noun, " ", part + 1, ")");
  }
}

}  // namespace contrastive::run
