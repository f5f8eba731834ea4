#include "core/mining/text_table.h"

#include <gtest/gtest.h>

namespace contrastive::mining {
namespace {

TEST(TextTable, NumbersDistinctTexts) {
  const std::vector<std::string> texts = {"one", "two", "one", "One ", "three"};
  TextTable table([&](int64_t place) { return texts[static_cast<size_t>(place)]; });
  std::vector<int64_t> numbers;
  for (size_t i = 0; i < texts.size(); ++i)
    numbers.push_back(table.add(texts[i], static_cast<int64_t>(i)));
  EXPECT_EQ(numbers, (std::vector<int64_t>{0, 1, 0, 2, 3}));
  EXPECT_EQ(table.size(), 4);
  EXPECT_EQ(table.text(2), "One ");
  EXPECT_EQ(table.normal(0), table.normal(2));
  EXPECT_NE(table.normal(0), table.normal(1));
}

}  // namespace
}  // namespace contrastive::mining
