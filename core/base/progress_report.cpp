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
  const bool ends = total_ > 0 && done >= total_;
  if (ended_) return;
  ended_ = ends;
  const Clock::time_point now = Clock::now();
  if (!log_name_.empty() && (ends || now >= next_log_)) {
    next_log_ = now + kBetweenLogs;
    log_info(log_name_, ": ", done, " of ", total_, " ", what_);
  }
  if (outer_ != nullptr || cancel_ == nullptr || !cancel_->has_listener()) return;
  if (!ends && now < next_report_) return;
  next_report_ = now + kBetweenReports;
  cancel_->report(what_.c_str(), done, total_);
  throw_if_cancelled(cancel_);
}

void ProgressReport::end() {
  const int64_t done = done_.load(std::memory_order_relaxed);
  if (outer_ != nullptr || cancel_ == nullptr || !cancel_->has_listener()) return;
  cancel_->report(what_.c_str(), done, total_);
  throw_if_cancelled(cancel_);
}

void ProgressReport::add(int64_t more) {
  const int64_t done = done_.fetch_add(more, std::memory_order_relaxed) + more;
  if (outermost == this) at(done);
}

}  // namespace contrastive
