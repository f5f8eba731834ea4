#include "core/text/vocabulary.h"
#include "tests/expect_error.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

TEST(Vocabulary, MapsBothWaysAndKnowsItsHoles) {
  const Vocabulary vocabulary({{"a", 0}, {"c", 4}, {"b", 2}}, "v");
  EXPECT_EQ(vocabulary.count(), 3);
  EXPECT_EQ(vocabulary.size(), 5);
  EXPECT_EQ(vocabulary.id("c"), 4);
  EXPECT_EQ(vocabulary.id("x"), -1);
  EXPECT_EQ(vocabulary.token(2), "b");
  EXPECT_EQ(vocabulary.token(1), "");
  EXPECT_EQ(vocabulary.token(-1), "");
  EXPECT_EQ(vocabulary.token(99), "");
}

TEST(Vocabulary, RefusesWhatIsNoVocabulary) {
  expect_error(Status::kFormat, "no tokens", [] { Vocabulary({}, "v"); });
  expect_error(Status::kFormat, "'a' appears twice", [] { Vocabulary({{"a", 0}, {"a", 1}}, "v"); });
  expect_error(Status::kFormat, "id 1 appears twice: for 'a' and 'b'",
               [] { Vocabulary({{"a", 1}, {"b", 1}}, "v"); });
  expect_error(Status::kFormat, "negative", [] { Vocabulary({{"a", -1}}, "v"); });
  expect_error(Status::kLimit, "too high", [] { Vocabulary({{"a", 2147483647}}, "v"); });
}

}  // namespace
}  // namespace contrastive::text
