#include "capi/program/report/text.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace contrastive::cli::report {
namespace {

// Without the zeros after the last digit of a decimal fraction.
std::string trimmed(std::string number) {
  if (number.find('.') == std::string::npos) return number;
  number.erase(number.find_last_not_of('0') + 1);
  if (number.back() == '.') number.pop_back();
  return number;
}

std::string scientific(double number, int digits) {
  auto exponent = static_cast<int>(std::floor(std::log10(std::fabs(number))));
  std::string mantissa = fixed(number / std::pow(10.0, exponent), digits);
  if (std::fabs(std::stod(mantissa)) >= 10)
    mantissa = fixed(number / std::pow(10.0, ++exponent), digits);
  static const char* const kDigits[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string raised = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) raised += kDigits[digit - '0'];
  return trimmed(mantissa) + "·10" + raised;
}

}  // namespace

std::string compact(double number) {
  if (!std::isfinite(number)) return "–";
  if (number == 0) return "0";
  const double size = std::fabs(number);
  if (size < 1e-3 || size >= 1e7) return scientific(number, 2);
  if (size >= 1000) return with_commas(std::llround(number));
  const int digits = std::max(0, 3 - static_cast<int>(std::floor(std::log10(size))));
  return trimmed(fixed(number, std::min(digits, 4)));
}

Json rounded(const std::vector<double>& numbers) {
  Json out = Json::array();
  for (const double number : numbers) {
    char text[32];
    std::snprintf(text, sizeof text, "%.7g", number);
    const double kept = std::strtod(text, nullptr);
    const bool whole = std::fabs(kept) < 1e15 && kept == std::floor(kept);  // "3", and not "3.0"
    out.push_back(!std::isfinite(number) ? Json()
                  : whole                ? Json(static_cast<int64_t>(kept))
                                         : Json(kept));
  }
  return out;
}

std::string excerpt(const std::string& text, size_t bytes) {
  if (text.size() <= bytes) return text;
  const auto continues = [&](size_t at) {
    return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80;
  };
  for (int i = 0; i < 3 && bytes > 0 && continues(bytes); ++i) --bytes;
  return text.substr(0, bytes) + "…";
}

}  // namespace contrastive::cli::report
