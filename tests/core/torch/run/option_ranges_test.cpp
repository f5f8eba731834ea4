// Sets every numeric key of every method to values outside of its range. The list of keys is the
// library's own description.
#include <gmock/gmock.h>

#include <cmath>
#include <cstdio>
#include <limits>
#include <string>
#include <vector>

#include "core/base/error.h"
#include "core/torch/methods/registry.h"
#include "core/torch/run/train_options.h"
#include "core/torch/run/training_run.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

void read_with(const std::string& method, const std::string& key, const Json& value) {
  Config config = Config::parse(R"({"max_steps": 5})");
  config.set_json("method", method);
  config.set_json(key, value);
  read_run_config(config, true);
}

// Numbers outside of a described range ("from 1 to 1000", "above 0 to below 1", "at least 0");
// empty if it has no bounds.
std::vector<double> outside_of(const std::string& range) {
  std::vector<double> outside;
  double bound = 0;
  if (std::sscanf(range.c_str(), "above %lf", &bound) == 1) outside = {bound, bound - 1, -1e300};
  if (std::sscanf(range.c_str(), "from %lf", &bound) == 1 ||
      std::sscanf(range.c_str(), "at least %lf", &bound) == 1)
    outside = {bound - 1, -1e300};
  const size_t to = range.find(" to ");
  if (to != std::string::npos && std::sscanf(range.c_str() + to, " to %lf", &bound) == 1)
    outside.insert(outside.end(), {bound + 1, 1e300});
  if (to != std::string::npos && std::sscanf(range.c_str() + to, " to below %lf", &bound) == 1)
    outside.insert(outside.end(), {bound, 1e300});
  return outside;
}

TEST(OptionRanges, EveryNumberOfEveryMethodIsChecked) {
  int numbers = 0, bounded = 0;
  for (const auto& method : methods::all_methods()) {
    for (const Json& row : describe_config(method.name)) {
      const std::string key = row.at("key"), type = row.at("type");
      if (type != "integer" && type != "real") continue;
      ++numbers;
      SCOPED_TRACE(cat(method.name, " ", key, " ", row.at("range").get<std::string>()));
      const double infinity = std::numeric_limits<double>::infinity();
      const Json none[] = {std::nan(""), infinity, -infinity,        "much",
                           "0,5",        true,     Json::array({1}), nullptr};
      for (const Json& value : none) {
        SCOPED_TRACE(value);
        expect_error(Status::kArgument, "'" + key + "' must be a",
                     [&] { read_with(method.name, key, value); });
      }
      if (type == "integer") {
        expect_error(Status::kArgument, "'" + key + "' must be a whole number",
                     [&] { read_with(method.name, key, 7.5); });
      }
      const std::vector<double> outside = outside_of(row.at("range"));
      bounded += outside.empty() ? 0 : 1;
      for (const double value : outside) {
        SCOPED_TRACE(value);
        expect_error(Status::kArgument, "'" + key + "' must be a",
                     [&] { read_with(method.name, key, value); });
      }
    }
  }
  EXPECT_GT(numbers, 150) << "the description was not understood";
  EXPECT_GT(bounded, 150);
}

}  // namespace
}  // namespace contrastive::run
