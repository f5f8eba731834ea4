#include "core/text/word_level.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include "tests/expect_error.h"

namespace contrastive::text {
namespace {

TEST(WordLevel, APieceIsATokenOrUnknown) {
  const Vocabulary vocabulary({{"a", 0}, {"<unk>", 1}}, "v");
  const WordLevel model(vocabulary, "<unk>", "v");
  std::vector<TokenPart> buffer;
  EXPECT_EQ(model.tokens("a", buffer).data[0].id, 0);
  EXPECT_EQ(model.tokens("ab", buffer).data[0].id, 1);
  expect_error(Status::kFormat, "v: the vocabulary has no [UNK]",
               [&] { WordLevel(vocabulary, "[UNK]", "v"); });
}

}  // namespace
}  // namespace contrastive::text
