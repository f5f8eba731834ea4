#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/data/dataset.h"
#include "tests/expect_error.h"

namespace contrastive::data {
namespace {

TEST(Dataset, InMemoryFingerprintSeesEveryField) {
  const auto make = [](const std::string& a, const std::string& b, bool has_b, double label) {
    const auto data = make_dataset();
    data->add({a, b, has_b, label});
    return data->fingerprint();
  };
  const std::string base = make("ab", "c", true, 1);
  EXPECT_EQ(base, make("ab", "c", true, 1));
  EXPECT_NE(base, make("a", "bc", true, 1));
  EXPECT_NE(base, make("ab", "c", true, 2));
  EXPECT_NE(make("ab", "", true, 1), make("ab", "", false, 1));
  expect_error(Status::kArgument, "an example's label must be a finite number, or NaN",
               [&] { make("a", "b", true, INFINITY); });
}

TEST(Dataset, InMemoryFingerprintSeesNegatives) {
  const auto make = [](std::vector<std::string> negatives) {
    const auto data = make_dataset();
    data->add({"a", "b", true, 1, std::move(negatives)});
    return data->fingerprint();
  };
  EXPECT_NE(make({"cd"}), make({"c", "d"}));
  EXPECT_NE(make({}), make({""}));
  EXPECT_EQ(make({"c", "d"}), make({"c", "d"}));
  expect_error(Status::kArgument, "an example with negatives needs a text b",
               [&] { make_dataset()->add({"a", "", false, 1, {"c"}}); });
}

TEST(Dataset, InMemoryIsOfPairsOrOfSingleTexts) {
  for (const bool pairs : {true, false}) {
    const auto data = make_dataset();
    data->add({"a", pairs ? "b" : "", pairs});
    const std::string before = data->fingerprint();
    expect_error(Status::kArgument, "a dataset holds one kind",
                 [&] { data->add({"c", pairs ? "" : "d", !pairs}); });
    EXPECT_EQ(data->fingerprint(), before);  // a refused example changes nothing
    data->add({"e", pairs ? "f" : "", pairs});
    EXPECT_EQ(data->size(), 2);
  }
}

}  // namespace
}  // namespace contrastive::data
