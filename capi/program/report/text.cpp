#include "capi/program/report/text.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr uint32_t kReplacement = 0xFFFD, kJoiner = 0x200D;

// The code point that begins at `at`, which moves on; U+FFFD and one byte where there is none.
uint32_t next_code_point(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const uint32_t first = byte(at++);
  if (first < 0x80) return first;
  const int more = first >= 0xF0 && first < 0xF5   ? 3
                   : first >= 0xE0 && first < 0xF0 ? 2
                   : first >= 0xC2 && first < 0xE0 ? 1
                                                   : 0;
  if (more == 0 || at + static_cast<size_t>(more) > text.size()) return kReplacement;
  uint32_t code = first & (0x3FU >> more);
  for (int i = 0; i < more; ++i) {
    if ((byte(at + static_cast<size_t>(i)) & 0xC0) != 0x80) return kReplacement;
    code = code << 6 | (byte(at + static_cast<size_t>(i)) & 0x3FU);
  }
  const uint32_t least = more == 3 ? 0x10000 : more == 2 ? 0x800 : 0x80;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) return kReplacement;
  at += static_cast<size_t>(more);
  return code;
}

void append(std::string& text, uint32_t code) {
  if (code < 0x80) {
    text += static_cast<char>(code);
    return;
  }
  const int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  text += static_cast<char>((more == 1 ? 0xC0U : more == 2 ? 0xE0U : 0xF0U) | code >> (6 * more));
  for (int i = more - 1; i >= 0; --i)
    text += static_cast<char>(0x80U | ((code >> (6 * i)) & 0x3FU));
}

bool within(uint32_t code, std::initializer_list<std::pair<uint32_t, uint32_t>> ranges) {
  return std::any_of(ranges.begin(), ranges.end(), [&](const auto& range) {
    return code >= range.first && code <= range.second;
  });
}

// Marks, joiners, variation selectors, skin tones, directional controls: what belongs to the
// character before it.
bool extends(uint32_t code) {
  return within(code, {{0x300, 0x36F},    {0x483, 0x489},   {0x591, 0x5BD},   {0x5BF, 0x5C7},
                       {0x610, 0x61A},    {0x64B, 0x65F},   {0x670, 0x670},   {0x6D6, 0x6ED},
                       {0x900, 0x903},    {0x93A, 0x94F},   {0x981, 0x983},   {0x9BC, 0x9CD},
                       {0xE31, 0xE31},    {0xE34, 0xE3A},   {0xE47, 0xE4E},   {0x1AB0, 0x1AFF},
                       {0x1DC0, 0x1DFF},  {0x200B, 0x200F}, {0x202A, 0x202E}, {0x2060, 0x2069},
                       {0x20D0, 0x20FF},  {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}, {0x1F3FB, 0x1F3FF},
                       {0xE0020, 0xE01EF}});
}

bool regional(uint32_t code) { return code >= 0x1F1E6 && code <= 0x1F1FF; }

double width_of(uint32_t code) {
  if (extends(code)) return 0;
  if (within(code, {{0x1100, 0x115F},
                    {0x2600, 0x27BF},
                    {0x2E80, 0xA4CF},
                    {0xAC00, 0xD7A3},
                    {0xF900, 0xFAFF},
                    {0xFE30, 0xFE6F},
                    {0xFF00, 0xFF60},
                    {0x1F000, 0x1FAFF},
                    {0x20000, 0x3FFFD}})) {
    return 2;
  }
  if (code == 'm' || code == 'w' || code == 'M' || code == 'W' || code == '%' || code == '@')
    return 1.5;
  if (code >= 'A' && code <= 'Z') return 1.2;
  return code == ' ' || code == 'i' || code == 'l' || code == '.' || code == ',' || code == '\''
             ? 0.6
             : 1;
}

// What a reader takes for one character: bytes of the text, and its width.
struct Cluster {
  std::string bytes;
  double width = 0;
  bool joined = false, flag = false;  // the next character belongs to it
};

std::vector<Cluster> clusters_of(const std::string& text) {
  std::vector<Cluster> clusters;
  for (size_t at = 0; at < text.size();) {
    uint32_t code = next_code_point(text, at);
    if (code < 0x20) code = ' ';
    const bool blank = code == ' ' || code == 0xA0;
    if (blank && (clusters.empty() || clusters.back().bytes == " ")) continue;
    const bool second_of_flag = !clusters.empty() && clusters.back().flag && regional(code);
    if (!clusters.empty() && (extends(code) || clusters.back().joined || second_of_flag)) {
      append(clusters.back().bytes, code);
      clusters.back().joined = code == kJoiner;
      clusters.back().flag = false;
      continue;
    }
    Cluster cluster;
    append(cluster.bytes, blank ? ' ' : code);
    cluster.width = width_of(code);
    cluster.flag = regional(code);
    clusters.push_back(std::move(cluster));
  }
  if (!clusters.empty() && clusters.back().bytes == " ") clusters.pop_back();
  return clusters;
}

}  // namespace

std::string escaped(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = next_code_point(text, at);
    switch (code) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\t':
      case '\n':
      case '\r': out += ' '; break;
      default:
        append(out, code < 0x20 || (code >= 0x7F && code < 0xA0) || (code & 0xFFFE) == 0xFFFE
                        ? kReplacement
                        : code);
    }
  }
  return out;
}

double display_width(const std::string& text) {
  double width = 0;
  for (const Cluster& cluster : clusters_of(text)) width += cluster.width;
  return width;
}

std::string shortened(const std::string& text, double width) {
  const std::vector<Cluster> clusters = clusters_of(text);
  double whole = 0;
  for (const Cluster& cluster : clusters) whole += cluster.width;
  std::string out;
  double taken = 0;
  for (const Cluster& cluster : clusters) {
    if (whole > width && taken + cluster.width > width - 1.2) break;
    out += cluster.bytes;
    taken += cluster.width;
  }
  if (whole <= width) return out;
  while (!out.empty() && out.back() == ' ') out.pop_back();
  return out + "…";
}

bool right_to_left(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const uint32_t code = next_code_point(text, at);
    if (within(code, {{0x200F, 0x200F},
                      {0x5BE, 0x85F},
                      {0x8A0, 0x8FF},
                      {0xFB1D, 0xFDFF},
                      {0xFE70, 0xFEFC},
                      {0x10800, 0x10FFF},
                      {0x1E800, 0x1EFFF}})) {
      return !within(code, {{0x660, 0x669}, {0x6F0, 0x6F9}});
    }
    if (std::isalpha(static_cast<int>(std::min(code, uint32_t{127}))) != 0 ||
        (code >= 0xC0 && code < 0x590 && !extends(code)) ||
        within(code, {{0x900, 0x1FFF}, {0x2E80, 0xABFF}, {0xAC00, 0xD7FF}})) {
      return false;
    }
  }
  return false;
}

std::string scientific(double number, int digits) {
  auto exponent = static_cast<int>(std::floor(std::log10(std::fabs(number))));
  std::string mantissa = fixed(number / std::pow(10.0, exponent), digits);
  if (std::fabs(std::stod(mantissa)) >= 10)
    mantissa = fixed(number / std::pow(10.0, ++exponent), digits);
  if (mantissa.find('.') != std::string::npos) {
    while (mantissa.back() == '0') mantissa.pop_back();
    if (mantissa.back() == '.') mantissa.pop_back();
  }
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) raised += kDigits[digit - '0'];
  return mantissa + "·10" + raised;
}

std::string compact(double number) {
  if (!std::isfinite(number)) return "–";
  if (number == 0) return "0";
  const double size = std::fabs(number);
  if (size < 1e-3 || size >= 1e7) return scientific(number, 2);
  if (size >= 1000) return with_commas(std::llround(number));
  const int digits = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
  std::string text = fixed(number, std::min(digits, 4));
  if (text.find('.') != std::string::npos) {
    while (text.back() == '0') text.pop_back();
    if (text.back() == '.') text.pop_back();
  }
  return text;
}

}  // namespace contrastive::cli::report
