#include "core/text/byte_bpe_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/text/ids.h"

namespace contrastive::text {
namespace {

using testing::ElementsAre;

// Bytes, then "Ġa", then the special tokens.
TokenizerParts roberta_parts() {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (const std::string& character : byte_characters())
    tokens.emplace_back(character, static_cast<int32_t>(tokens.size()));
  for (const char* token : {"Ġa", "<s>", "</s>", "<mask>"})
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  AddedToken mask;
  mask.content = "<mask>";
  mask.id = 259;
  mask.lstrip = true;
  parts.added_tokens = {mask};
  parts.post_processor = roberta_post_processor(257, 258);
  parts.post_processor.trim_offsets = true;
  return parts;
}

TEST(ByteBpeTokenizer, MaskTakesTheSpaceOnItsLeft) {
  const ByteBpeTokenizer tokenizer(roberta_parts(), {{"Ġ", "a"}}, {}, {});
  EXPECT_THAT(ids(tokenizer, "a <mask> a"), ElementsAre(257, 'a', 259, 256, 258));
  const Encoding encoding = tokenizer.encode("a <mask> a", 0);
  EXPECT_THAT(encoding.begins, ElementsAre(-1, 0, 2, 9, -1));
  EXPECT_THAT(encoding.ends, ElementsAre(-1, 1, 8, 10, -1));
  EXPECT_THAT(tokenizer.encode_pair("a", "a", 0).type_ids, testing::Each(0));
  EXPECT_EQ(tokenizer.kind(), "byte-bpe");
}

TEST(ByteBpeTokenizer, APrefixSpaceIsPutWhereNoneStands) {
  TokenizerParts parts = roberta_parts();
  parts.post_processor.trim_keeps_prefix_space = true;
  ByteLevelOptions options;
  options.add_prefix_space = true;
  const ByteBpeTokenizer tokenizer(parts, {{"Ġ", "a"}}, {}, options);
  EXPECT_THAT(ids(tokenizer, "a a<mask>a"), ElementsAre(257, 256, 256, 259, 256, 258));
  EXPECT_THAT(ids(tokenizer, " a"), ElementsAre(257, 256, 258));
  EXPECT_THAT(ids(tokenizer, ""), ElementsAre(257, 258));
  EXPECT_THAT(tokenizer.encode("a a", 0).begins, ElementsAre(-1, 0, 2, -1));
}

}  // namespace
}  // namespace contrastive::text
