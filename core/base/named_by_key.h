// Errors about what a config value names, such as files and poolings.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"

namespace contrastive {

// Returns what `body` returns. If `body` throws an error about the value of config key `key`, the
// error names that key.
template <class Body>
auto named_by_key(const std::string& key, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    fail(error.status(), "config key '", key, "': ", error.message());
  }
}

}  // namespace contrastive
