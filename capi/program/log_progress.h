// The library's messages while one long call of it runs: those that say how far it is become a line
// of progress, the others are printed as ever.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "capi/program/progress.h"
#include "capi/program/verb.h"

namespace contrastive::cli {

// Takes the log for as long as it lives. With "mining" among the `speakers`, "mining: 4096 of
// 100000 documents embedded" is progress.
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
