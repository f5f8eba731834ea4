#include "core/base/progress_report.h"

#include <utility>

#include "core/base/log.h"

namespace contrastive {
namespace {

constexpr std::chrono::milliseconds kBetweenReports{100};
constexpr std::chrono::seconds kBetweenLogs{1};

thread_local const ProgressReport* outermost = nullptr;  // of this thread

}  // namespace

ProgressReport::ProgressReport(const Cancel* cancel, int64_t total, std::string what,
                               std::string log_name)
    : cancel_(cancel), total_(total), what_(std::move(what)), log_name_(std::move(log_name)),
      outer_(outermost), next_report_(Clock::now() + kBetweenReports),
      next_log_(Clock::now() + kBetweenLogs) {
  if (outer_ == nullptr) outermost = this;
}

ProgressReport::~ProgressReport() {
  if (outer_ == nullptr) outermost = nullptr;
}

void ProgressReport::at(int64_t done) {
  done_.store(done, std::memory_order_relaxed);
  step();
}

void ProgressReport::add(int64_t more) {
  done_.fetch_add(more, std::memory_order_relaxed);
  if (outermost == this) step();
}

void ProgressReport::end() { tell(); }

void ProgressReport::step() {
  if (ended_) return;
  const int64_t done = done_.load(std::memory_order_relaxed);
  ended_ = total_ > 0 && done >= total_;
  const Clock::time_point now = Clock::now();
  if (!log_name_.empty() && (ended_ || now >= next_log_)) {
    next_log_ = now + kBetweenLogs;
    log_info(log_name_, ": ", done, " of ", total_, " ", what_);
  }
  if (!ended_ && now < next_report_) return;
  next_report_ = now + kBetweenReports;
  tell();
}

void ProgressReport::tell() {
  if (outer_ != nullptr || cancel_ == nullptr || !cancel_->has_listener()) return;
  cancel_->report(what_.c_str(), done_.load(std::memory_order_relaxed), total_);
  throw_if_cancelled(cancel_);
}

}  // namespace contrastive
