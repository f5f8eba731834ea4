#include "core/eval/glue/option_numbers.h"

#include <charconv>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

template <class Number>
std::vector<Number> parse(const char* key, const std::vector<std::string>& texts, const Range& range, const char* kind) {
  check(!texts.empty(), Status::kArgument, "config key '", key, "' is empty: at least one number is needed");
  std::vector<Number> numbers;
  for (const std::string& text : texts) {
    Number value = 0;
    const char* end = text.data() + text.size();
    const auto [parsed, error] = std::from_chars(text.data(), end, value);
    const bool ok = error == std::errc() && parsed == end && range.contains(static_cast<double>(value));
    check(ok, Status::kArgument, "config key '", key, "' takes ", kind, " ", range.text(), ", not '", text.substr(0, 40), "'");
    numbers.push_back(value);
  }
  return numbers;
}

}  // namespace

std::vector<double> option_numbers(const char* key, const std::vector<std::string>& texts, const Range& range) {
  return parse<double>(key, texts, range, "numbers");
}

std::vector<int64_t> option_integers(const char* key, const std::vector<std::string>& texts, const Range& range) {
  return parse<int64_t>(key, texts, range, "whole numbers");
}

}  // namespace contrastive::eval
