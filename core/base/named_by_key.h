// Errors of what a config names: files, poolings.
#pragma once

#include <string>
#include <utility>

#include "core/base/error.h"

namespace contrastive {

// What `body` returns; what it says of the value of config key `key` is said behind that key.
template <class Body>
auto named_by_key(const std::string& key, Body&& body) {
  try {
    return std::forward<Body>(body)();
  } catch (const Error& error) {
    fail(error.status(), "config key '", key, "': ", error.message());
  }
}

}  // namespace contrastive
