#include <gmock/gmock.h>

#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/data/dataset.h"

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
  EXPECT_THROW(make("a", "b", true, INFINITY), Error);
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
  EXPECT_THROW(make_dataset()->add({"a", "", false, 1, {"c"}}), Error);
}

TEST(Dataset, InMemoryIsOfPairsOrOfSingleTexts) {
  for (const bool pairs : {true, false}) {
    const auto data = make_dataset();
    data->add({"a", pairs ? "b" : "", pairs});
    const std::string before = data->fingerprint();
    EXPECT_THROW(data->add({"c", pairs ? "" : "d", !pairs}), Error);
    EXPECT_EQ(data->fingerprint(), before);  // a refused example leaves no trace
    data->add({"e", pairs ? "f" : "", pairs});
    EXPECT_EQ(data->size(), 2);
  }
}

}  // namespace
}  // namespace contrastive::data
