// Reports the progress of long work through its cancel flag, and in the log if a name for the log
// is given: "mining: 4096 of 100000 documents embedded".
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

#include "core/base/cancel.h"

namespace contrastive {

// Belongs to the thread that makes it. A report that is made while the thread has another one is
// silent: what calls count as they embed the texts of a larger task is a part of that task.
class ProgressReport {
 public:
  // `total` 0: unknown. `what`: a phrase such as "texts encoded".
  ProgressReport(const Cancel* cancel, int64_t total, std::string what, std::string log_name = "");
  ~ProgressReport();
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  // Sets what is done. Calls the listener ten times a second at most, and at the end; logs once a
  // second at most, and at the end. Throws kCancelled if the listener raised the flag.
  void at(int64_t done);
  // The end of work whose total was unknown: reports what was done.
  void end();
  // Adds to what is done. Any thread may call this; only the thread of the report tells it.
  void add(int64_t more);

 private:
  using Clock = std::chrono::steady_clock;

  void step();  // logs and tells what is due
  void tell();  // calls the listener, if this report is not silent

  const Cancel* const cancel_;
  const int64_t total_;
  const std::string what_, log_name_;
  const ProgressReport* const outer_;
  std::atomic<int64_t> done_{0};
  bool ended_ = false;
  Clock::time_point next_report_, next_log_;
};

}  // namespace contrastive
