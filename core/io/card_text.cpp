#include "core/io/card_text.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/text/utf8.h"

namespace contrastive::io {
namespace {

// Direction marks: with them a reader would see another order than the file has.
bool turns_a_line(char32_t c) {
  return c == 0x061C || c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) ||
         (c >= 0x2066 && c <= 0x2069);
}

// Includes the line separators of Unicode.
bool is_control(char32_t c) {
  return c < 0x20 || (c >= 0x7F && c < 0xA0) || c == 0x2028 || c == 0x2029;
}

bool is_noncharacter(char32_t c) { return (c & 0xFFFE) == 0xFFFE || c == 0xFEFF; }

template <class Add>
void for_each_character(std::string_view text, const Add& add) {
  for (size_t at = 0; at < text.size();) {
    const char32_t c = text::decode_utf8(text, at);
    add(is_control(c) ? U' ' : turns_a_line(c) || is_noncharacter(c) ? text::kReplacement : c);
  }
}

}  // namespace

std::string yaml_text(std::string_view text) {
  std::string quoted = "\"";
  for_each_character(text, [&](char32_t c) {
    if (c == '"' || c == '\\') quoted += '\\';
    text::append_utf8(c, quoted);
  });
  return quoted + "\"";
}

std::string markdown_text(std::string_view text) {
  static const std::u32string kMarks = U"\\`*_{}[]<>&|~#$!:@", kListMarks = U"-+=",
                              kAfterNumber = U".)";
  std::string escaped;
  bool begun = false, digits = true;  // such a line would be a list in Markdown
  for_each_character(text, [&](char32_t c) {
    if (!begun && c == ' ') return;
    const bool opens_list = (!begun && kListMarks.find(c) != std::u32string::npos) ||
                            (digits && kAfterNumber.find(c) != std::u32string::npos);
    if (opens_list || kMarks.find(c) != std::u32string::npos) escaped += '\\';
    text::append_utf8(c, escaped);
    begun = true;
    digits = digits && c >= '0' && c <= '9';
  });
  return escaped;
}

std::string markdown_code(std::string_view text) {
  std::string plain;
  for_each_character(text, [&](char32_t c) { text::append_utf8(c, plain); });
  size_t longest = 0, run = 0;
  for (const char c : plain) longest = std::max(longest, run = c == '`' ? run + 1 : 0);
  const std::string fence(longest + 1, '`');
  const bool apart = plain.empty() || plain.front() == '`' || plain.back() == '`' ||
                     (plain.front() == ' ' && plain.back() == ' ');
  return apart ? fence + " " + plain + " " + fence : fence + plain + fence;
}

std::string card_number(double value) {
  const double units = value < 0 ? -value * 1e6 + 0.5 : value * 1e6 + 0.5;
  check(units < 9e15, Status::kInternal, "a figure of a model card is ", value);
  const auto whole = static_cast<int64_t>(units);
  std::string digits = std::to_string(whole % 1000000);
  digits.insert(0, 6 - digits.size(), '0');
  return (value < 0 && whole > 0 ? "-" : "") + std::to_string(whole / 1000000) + "." + digits;
}

std::string card_count(int64_t value) {
  std::string digits = std::to_string(value);
  for (size_t at = digits.size(); at > 3 + (value < 0);) digits.insert(at -= 3, ",");
  return digits;
}

std::string card_file(const std::string& path) {
  const size_t end = path.find_last_not_of('/');
  return end == std::string::npos ? "" : base_name(path.substr(0, end + 1));
}

}  // namespace contrastive::io
