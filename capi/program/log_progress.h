// Shows progress during one long call of the library: log messages about progress become a progress
// line, and all others are printed as usual.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capi/program/progress.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

// Receives the log during its lifetime. If `speakers` contains "mining", the message "mining: 4096
// of 100000 documents embedded" is progress.
class LogProgress {
 public:
  LogProgress(std::vector<std::string> speakers, const Common& common);
  ~LogProgress();
  LogProgress(const LogProgress&) = delete;
  LogProgress& operator=(const LogProgress&) = delete;

 private:
  static void receive(int32_t level, const char* message, void* user);
  bool show(const std::string& message);

  std::vector<std::string> speakers_;
  const Common& common_;
  std::string what_;
  std::optional<Progress> progress_;
};

}  // namespace contrastive::cli
