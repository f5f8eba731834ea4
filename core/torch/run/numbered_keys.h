// Keys of a numbered part of a run: "stage2.lr" is key "lr" of the second stage. A part reads its
// keys without the prefix. Error messages must name the keys as they are in the user's config.
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

// The entries of `config` under `prefix`, without the prefix.
Config keys_under(const Config& config, const std::string& prefix);

// Replaces keys of a part in `message` with the keys of `whole`: 'lrr' becomes 'task2.lrr'.
std::string with_prefix(std::string message, const Config& whole, const std::string& prefix);

// Runs `body`. Its errors name the keys of this part as in `whole`.
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
