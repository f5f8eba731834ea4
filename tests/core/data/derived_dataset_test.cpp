#include "core/data/derived_dataset.h"

#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive::data {
namespace {

std::shared_ptr<Dataset> pairs(int64_t n) {
  const auto data = make_dataset();
  for (int64_t i = 0; i < n; ++i)
    data->add({"a" + std::to_string(i), "b" + std::to_string(i), true, 1});
  return data;
}

TEST(SeparateTexts, EveryTextIsAnExampleOfItsOwn) {
  const auto base = pairs(3);
  const auto texts = separate_texts(base);
  ASSERT_EQ(texts->size(), 6);
  for (int64_t i = 0; i < 6; ++i) {
    const Example example = texts->get(i);
    EXPECT_EQ(example.a, (i % 2 == 0 ? "a" : "b") + std::to_string(i / 2));
    EXPECT_TRUE(!example.has_b && example.b.empty() && std::isnan(example.label));
  }
  expect_error(Status::kArgument, "example 6 of a dataset of 6", [&] { texts->get(6); });
  EXPECT_NE(texts->fingerprint(), base->fingerprint());
  EXPECT_EQ(separate_texts(texts), texts) << "single texts stay as they are";
}

std::set<std::string> texts_of(const Dataset& data) {
  std::set<std::string> texts;
  for (int64_t i = 0; i < data.size(); ++i) texts.insert(data.get(i).a);
  return texts;
}

TEST(SeededSubset, AsManyAsAskedAndAlwaysTheSame) {
  const auto base = pairs(100);
  const auto ten = seeded_subset(base, 10, 1, false), again = seeded_subset(base, 10, 1, false),
             other = seeded_subset(base, 10, 2, false);
  EXPECT_EQ(ten->size(), 10);
  EXPECT_EQ(texts_of(*ten).size(), 10u) << "no example twice";
  EXPECT_EQ(texts_of(*ten), texts_of(*again));
  EXPECT_NE(texts_of(*ten), texts_of(*other));
  EXPECT_EQ(ten->fingerprint(), again->fingerprint());
  EXPECT_NE(ten->fingerprint(), other->fingerprint());
  EXPECT_EQ(seeded_subset(base, 100, 1, true), base);
  EXPECT_EQ(seeded_subset(base, 1000, 1, false), base);
  expect_error(Status::kArgument, "a subset of 0 examples: at least 1 is needed",
               [&] { seeded_subset(base, 0, 1, false); });
}

TEST(SeededSubset, ASmallerOneIsPartOfALargerOne) {
  const auto base = pairs(100);
  const auto ten = texts_of(*seeded_subset(base, 10, 1, false)),
             twenty = texts_of(*seeded_subset(base, 20, 1, false));
  for (const std::string& text : ten) EXPECT_EQ(twenty.count(text), 1u);
}

TEST(SeededSubset, UpsamplingRepeatsItToTheSizeOfTheWhole) {
  const auto subset = seeded_subset(pairs(100), 30, 1, true);
  EXPECT_EQ(subset->size(), 90);
  EXPECT_EQ(texts_of(*subset).size(), 30u);
  for (int64_t i = 0; i < 30; ++i) EXPECT_EQ(subset->get(i).a, subset->get(i + 60).a);
  EXPECT_EQ(seeded_subset(pairs(100), 1, 1, true)->size(), 100);
}

TEST(DerivedDataset, AnExampleIsWhereItsBaseHasIt) {
  EXPECT_EQ(separate_texts(pairs(3))->where(5), "example 2");
  const auto subset = seeded_subset(pairs(100), 30, 1, true);
  EXPECT_EQ(subset->where(31), subset->where(1));
  EXPECT_EQ(subset->where(1), "example " + subset->get(1).a.substr(1));
}

TEST(DerivedDataset, TakesNoExamples) {
  const auto derived = std::const_pointer_cast<Dataset>(seeded_subset(pairs(4), 2, 1, false));
  expect_error(Status::kState, "a dataset that was made of another one takes no",
               [&] { derived->add({}); });
}

}  // namespace
}  // namespace contrastive::data
