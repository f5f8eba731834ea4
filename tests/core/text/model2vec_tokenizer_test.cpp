#include "core/text/model2vec_tokenizer.h"

#include <gmock/gmock.h>

#include "core/io/tokenizer_files.h"
#include "tests/fixtures_folder.h"

namespace contrastive::text {
namespace {

using testing::ElementsAreArray;

std::shared_ptr<const Tokenizer> plain() {
  return io::load_tokenizer(fixtures() + "/models/bert_st");
}

TEST(Model2vecTokenizer, TheUnknownTokenIsLeftOut) {
  const auto all = plain();
  const int32_t unknown = all->special_ids().unk;
  const Model2vecTokenizer known(all, unknown), whole(all, -1);
  const std::string text = "the \u4e2d house \u6587";
  const Encoding before = all->encode(text, 0), after = known.encode(text, 0);
  std::vector<int32_t> expected;
  for (const int32_t id : before.ids) {
    if (id != unknown) expected.push_back(id);
  }
  ASSERT_LT(expected.size(), before.ids.size());
  EXPECT_THAT(after.ids, ElementsAreArray(expected));
  EXPECT_EQ(after.begins.size(), expected.size());
  EXPECT_EQ(after.full_length, static_cast<int64_t>(expected.size()));
  EXPECT_EQ(whole.encode(text, 0).ids, before.ids);
  TokenBatch batch;
  known.append("the", 0, batch);
  known.append(text, 0, batch);
  known.append_pair(text, "the", 0, batch);
  ASSERT_EQ(batch.texts(), 3);
  EXPECT_THAT(std::vector<int32_t>(batch.ids.begin() + batch.offsets[1],
                                   batch.ids.begin() + batch.offsets[2]),
              ElementsAreArray(expected));
  EXPECT_EQ(batch.full_lengths[1], static_cast<int32_t>(expected.size()));
  EXPECT_EQ(batch.type_ids.size(), batch.ids.size());
  EXPECT_EQ(batch.offsets.back(), batch.tokens());
  for (const int32_t id : batch.ids) EXPECT_NE(id, unknown);
}

// The limit in characters per allowed token is the median length of the vocabulary's tokens.
TEST(Model2vecTokenizer, ALongTextIsCutByCharactersFirst) {
  const auto all = plain();
  const Model2vecTokenizer cut(all, -1);
  std::vector<size_t> lengths;
  for (int32_t id = 0; id < all->vocab_size(); ++id)
    lengths.push_back(all->token(id).size());  // ASCII all
  std::sort(lengths.begin(), lengths.end());
  const size_t most = 5 * ((lengths[(lengths.size() - 1) / 2] + lengths[lengths.size() / 2]) / 2);
  const std::string text(400, 'a');
  EXPECT_EQ(cut.encode(text, 5).ids, all->encode(text.substr(0, most), 5).ids);
  EXPECT_EQ(cut.encode(text, 0).ids, all->encode(text, 0).ids);
  std::string wide;
  for (int i = 0; i < 400; ++i) wide += "\u00e9";
  EXPECT_EQ(cut.encode(wide, 5).ids, all->encode(wide.substr(0, 2 * most), 5).ids)
      << "characters are not bytes";
}

}  // namespace
}  // namespace contrastive::text
