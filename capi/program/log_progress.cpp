#include "capi/program/log_progress.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <utility>

#include "capi/program/failure.h"

namespace contrastive::cli {

LogProgress::LogProgress(std::vector<std::string> speakers, const Common& common)
    : speakers_(std::move(speakers)), common_(common) {
  if (common.quiet) return;
  Outcome outcome;
  cs_set_log_sink(receive, common.verbosity > 1 ? CS_LOG_DEBUG : CS_LOG_INFO, this, outcome);
  outcome.check();
}

LogProgress::~LogProgress() {
  cs_set_log_sink(nullptr, CS_LOG_WARNING, nullptr, nullptr);
  try {
    print_messages(common_);
  } catch (const Failure&) {  // only log messages are lost
  }
}

void LogProgress::receive(int32_t level, const char* message, void* user) {
  auto* const log = static_cast<LogProgress*>(user);
  if (level == CS_LOG_WARNING) {
    log->progress_.reset();
    log->what_.clear();
    std::fprintf(stderr, "warning: %s\n", message);
  } else if (!log->show(message) && log->common_.verbosity > 0) {
    log->progress_.reset();
    log->what_.clear();
    std::fprintf(stderr, "%s\n", message);
  }
}

bool LogProgress::show(const std::string& message) {
  const size_t colon = message.find(": ");
  if (colon == std::string::npos ||
      std::find(speakers_.begin(), speakers_.end(), message.substr(0, colon)) == speakers_.end())
    return false;
  int64_t done = 0, total = 0;
  const char* const end = message.data() + message.size();
  const auto [after, wrong] = std::from_chars(message.data() + colon + 2, end, done);
  if (wrong != std::errc() || std::string(after, end).compare(0, 4, " of ") != 0) return false;
  const auto [rest, bad] = std::from_chars(after + 4, end, total);
  if (bad != std::errc() || total <= 0) return false;
  const std::string what(rest == end ? rest : rest + 1, end);
  if (what != what_) {
    progress_.reset();
    progress_.emplace(message.substr(0, colon), what, common_.progress());
    what_ = what;
  }
  progress_->update(done, static_cast<double>(done) / static_cast<double>(total));
  return true;
}

}  // namespace contrastive::cli
