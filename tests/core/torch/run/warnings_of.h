// Collects the warnings that a function logs.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "core/base/log.h"

namespace contrastive::run {

inline std::vector<std::string> warnings_of(const std::function<void()>& work) {
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  work();
  set_log_sink({}, LogLevel::kWarning);
  return warnings;
}

}  // namespace contrastive::run
