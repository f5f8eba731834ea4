#include "capi/program/terminal.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <iomanip>
#include <locale>
#include <sstream>

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

constexpr size_t kBufferBytes = 1 << 16;

bool& quiet_flag() {
  static bool quiet = false;
  return quiet;
}

std::string& pending() {
  static std::string buffer;
  return buffer;
}

}  // namespace

void settle_standard_streams() {
  const int modes[3] = {O_WRONLY, O_RDONLY, O_RDWR};
  for (int descriptor = 0; descriptor < 3; ++descriptor) {
    if (fcntl(descriptor, F_GETFD) != -1 || errno != EBADF) continue;
    // open() returns the lowest free descriptor, which is this one.
    const int opened = open("/dev/null", modes[descriptor]);
    if (opened != descriptor && opened >= 0) close(opened);
  }
}

void write_fully(int descriptor, const char* data, size_t bytes, const std::string& path) {
  while (bytes > 0) {
    const ssize_t written = write(descriptor, data, bytes);
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) throw system_failure("write", path, errno);
    data += written;
    bytes -= static_cast<size_t>(written);
  }
}

void print(const std::string& text) {
  pending() += text;
  if (pending().size() >= kBufferBytes) flush_stdout();
}

void print_line(const std::string& text) { print(text + "\n"); }

void print_json(const Json& document) {
  print_line(document.dump(-1, ' ', true, Json::error_handler_t::replace));
}

void flush_stdout() {
  std::string text;
  text.swap(pending());
  write_fully(STDOUT_FILENO, text.data(), text.size(), "-");
}

void print_warning(const std::string& message) {
  if (!quiet_flag()) std::fprintf(stderr, "warning: %s\n", message.c_str());
}

void set_quiet(bool quiet) { quiet_flag() = quiet; }

std::string with_commas(int64_t number) {
  std::string digits = std::to_string(number);
  for (auto at = static_cast<int64_t>(digits.size()) - 3; at > (number < 0 ? 1 : 0); at -= 3)
    digits.insert(static_cast<size_t>(at), ",");
  return digits;
}

std::string counted(int64_t number, const std::string& noun) {
  return with_commas(number) + " " + noun + (number == 1 ? "" : "s");
}

std::string fixed(double number, int digits) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  out << std::fixed << std::setprecision(digits) << number;
  return out.str();
}

}  // namespace contrastive::cli
