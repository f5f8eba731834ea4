#include "core/data/shared_texts.h"

#include <gmock/gmock.h>

#include <string>

namespace contrastive::data {
namespace {

TEST(SharedTexts, AreThoseOfSeveralExamples) {
  const auto data = make_dataset();
  for (const auto& [a, b] : std::vector<std::pair<std::string, std::string>>{
           {"one", "two"}, {"three", "one"}, {"four", "four"}, {"two", "five"}}) {
    Example example;
    example.a = a;
    example.b = b;
    example.has_b = true;
    data->add(example);
  }
  const SharedTexts shared(*data);
  EXPECT_EQ(shared.count(), 2);
  EXPECT_EQ(shared.of(0).size(), 2u);
  EXPECT_EQ(shared.of(1).size(), 1u);
  EXPECT_TRUE(shared.of(2).empty()) << "texts that occur in only one example are omitted";
  EXPECT_EQ(shared.of(3).size(), 1u);
  EXPECT_NE(shared.of(1), shared.of(3));
}

}  // namespace
}  // namespace contrastive::data
