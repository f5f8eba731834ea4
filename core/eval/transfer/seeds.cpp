#include "core/eval/transfer/seeds.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/eval/task.h"

namespace contrastive::eval {

std::vector<uint64_t> parse_seeds(const std::vector<std::string>& list) {
  std::vector<uint64_t> seeds;
  for (const std::string& text : list) {
    uint64_t seed = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), seed);
    check(error == std::errc() && end == text.data() + text.size(), Status::kArgument, "seeds: '", text, "' is no whole number from 0 on");
    seeds.push_back(seed);
  }
  check(!seeds.empty(), Status::kArgument, "seeds is an empty list");
  return seeds;
}

void report_runs(Json& report, const std::string& name, const std::vector<double>& values) {
  const double n = static_cast<double>(values.size());
  double mean = 0, squares = 0;
  for (const double value : values) mean += value / n;
  for (const double value : values) squares += (value - mean) * (value - mean);
  report[name] = number_or_null(mean);
  if (values.size() > 1) report[name + "_std"] = number_or_null(std::sqrt(squares / (n - 1)));
}

}  // namespace contrastive::eval
