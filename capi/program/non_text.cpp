#include "capi/program/non_text.h"

#include <algorithm>

#include "capi/program/terminal.h"

namespace contrastive::cli {
namespace {

constexpr int64_t kEnough = int64_t{1} << 16;  // bytes that are enough to judge a file

// The length of the well-formed UTF-8 character at the start of `text`, or 0.
size_t character_length(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char lead = byte(0);
  if (lead < 0x80) return 1;
  const size_t length = lead >= 0xC2 && lead <= 0xDF   ? 2
                        : lead >= 0xE0 && lead <= 0xEF ? 3
                        : lead >= 0xF0 && lead <= 0xF4 ? 4
                                                       : 0;
  if (length == 0 || length > text.size()) return 0;
  for (size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (lead == 0xE0 && byte(1) < 0xA0) || (lead == 0xF0 && byte(1) < 0x90);
  const bool surrogate_or_beyond =
      (lead == 0xED && byte(1) > 0x9F) || (lead == 0xF4 && byte(1) > 0x8F);
  return overlong || surrogate_or_beyond ? 0 : length;
}

bool is_control(char c) {
  return (static_cast<unsigned char>(c) < 0x20 && (c < '\t' || c > '\r')) || c == 0x7F;
}

}  // namespace

void NonText::add(std::string_view line) {
  bytes_ += static_cast<int64_t>(line.size()) + 1;
  for (size_t at = 0; at < line.size();) {
    const size_t length = character_length(line.substr(at, 4));
    strange_ += length == 0 || is_control(line[at]);
    at += std::max<size_t>(length, 1);
  }
}

void NonText::warn(const std::string& path, bool ended) {
  if (warned_ || strange_ * 100 <= bytes_ || (!ended && bytes_ < kEnough)) return;
  warned_ = true;
  print_warning(
      (path == "-" ? "standard input" : "'" + path + "'") + ": " +
      fixed(100.0 * static_cast<double>(strange_) / static_cast<double>(bytes_), 1) + " % of " +
      (ended ? "its" : "its first") + " " + with_commas(bytes_) +
      " bytes are not text (control characters, malformed UTF-8): is it the right file, in UTF-8?");
}

}  // namespace contrastive::cli
