// Logs the progress of long work at level info, at most once a second: "mining: 4096 of 100000
// texts embedded".
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/log.h"

namespace contrastive::mining {

class ProgressLog {
 public:
  ProgressLog(int64_t total, std::string what) : total_(total), what_(std::move(what)) {}

  void at(int64_t done) {
    const auto now = std::chrono::steady_clock::now();
    if (done < total_ && now < next_) return;
    next_ = now + std::chrono::seconds(1);
    log_info("mining: ", done, " of ", total_, " ", what_);
  }

 private:
  int64_t total_;
  std::string what_;
  std::chrono::steady_clock::time_point next_ =
      std::chrono::steady_clock::now() + std::chrono::seconds(1);
};

}  // namespace contrastive::mining
