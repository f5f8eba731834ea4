// One moving line on stderr: how far, how fast, how long still. On a terminal only; elsewhere one
// line every half minute.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace contrastive::cli {

class Progress {
 public:
  // `noun` in the plural ("texts", "steps"). Disabled: prints nothing, ever.
  Progress(std::string verb, std::string noun, bool enabled);
  ~Progress();  // leaves a clean line
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // `fraction` of the work in [0, 1], below 0 where the total is not known; `detail` is put at the
  // end ("loss 0.1234").
  void update(int64_t done, double fraction, const std::string& detail = "");
  double seconds() const;

 private:
  using Clock = std::chrono::steady_clock;
  std::string line(int64_t done, double fraction, const std::string& detail) const;

  std::string verb_, noun_;
  bool enabled_, terminal_;
  bool drawn_ = false;
  Clock::time_point start_, next_;
};

}  // namespace contrastive::cli
