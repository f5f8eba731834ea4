// Errors of files that a config names.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"

namespace contrastive::train {

// What `body` returns; what it says of the file that config key `key` names is said behind that key.
template <class Body>
auto named_by_key(const std::string& key, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    fail(error.status(), "config key '", key, "': ", error.message());
  }
}

}  // namespace contrastive::train
