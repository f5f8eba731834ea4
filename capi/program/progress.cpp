#include "capi/program/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int kBarCells = 16;

size_t terminal_width() {
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
}

std::string duration(double seconds) {
  const auto total = static_cast<int64_t>(seconds + 0.5);
  const auto two = [](int64_t n) { return (n < 10 ? "0" : "") + std::to_string(n); };
  const std::string tail = two(total / 60 % 60) + ":" + two(total % 60);
  return total >= 3600 ? std::to_string(total / 3600) + ":" + tail : tail;
}

}  // namespace

Progress::Progress(std::string verb, std::string noun, bool enabled)
    : verb_(std::move(verb)), noun_(std::move(noun)), enabled_(enabled),
      terminal_(isatty(STDERR_FILENO) == 1), start_(Clock::now()) {
  next_ = start_ + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(30));
}

Progress::~Progress() {
  if (drawn_ && terminal_)
    std::fprintf(stderr, "\r%*s\r", static_cast<int>(terminal_width() - 1), "");
}

double Progress::seconds() const {
  return std::chrono::duration<double>(Clock::now() - start_).count();
}

std::string Progress::line(int64_t done, double fraction, const std::string& detail) const {
  const double elapsed = std::max(seconds(), 1e-9);
  std::string text = verb_ + " ";
  if (fraction >= 0) {
    const double part = std::min(fraction, 1.0);
    const auto cells = static_cast<size_t>(part * kBarCells);
    if (terminal_)
      text += "[" + std::string(cells, '#') + std::string(kBarCells - cells, '.') + "] ";
    text += fixed(100 * part, 0) + "%  ";
  }
  text +=
      with_commas(done) + " " + noun_ + "  " + fixed(static_cast<double>(done) / elapsed, 1) + "/s";
  if (fraction > 0 && fraction < 1)
    text += "  " + duration(elapsed * (1 - fraction) / fraction) + " left";
  return detail.empty() ? text : text + "  " + detail;
}

void Progress::update(int64_t done, double fraction, const std::string& detail) {
  const auto now = Clock::now();
  if (!enabled_ || now < next_) return;
  next_ = now + (terminal_ ? std::chrono::milliseconds(200) : std::chrono::seconds(30));
  std::string text = line(done, fraction, detail);
  if (!terminal_) {
    std::fprintf(stderr, "%s\n", text.c_str());
    return;
  }
  text.resize(terminal_width() - 1, ' ');
  std::fprintf(stderr, "\r%s", text.c_str());
  drawn_ = true;
}

}  // namespace contrastive::cli
