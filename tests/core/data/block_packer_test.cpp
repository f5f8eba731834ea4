#include "core/data/block_packer.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/io/tokenizer_files.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::data {
namespace {

std::shared_ptr<const text::Tokenizer> tokenizer(const std::string& model = "bert_st") {
  return io::load_tokenizer(fixtures() + "/models/" + model);
}

// Repeated sentences of 1, 2, ... 5 words of one token each.
std::string sentence(int64_t i) {
  std::string text = "the";
  for (int64_t k = 0; k < i % 5; ++k) text += " the";
  return text;
}

TEST(BlockPacker, PacksWholeSentencesInTheirOrder) {
  const auto words = tokenizer();
  ASSERT_EQ(words->encode("the the", 0).ids.size(), 4u) << "one token a word";
  const TemporaryFolder folder;
  std::string file;
  for (int64_t i = 0; i < 40; ++i) file += sentence(i) + "\n";
  const auto sentences =
      open_dataset(folder.write("corpus.txt", file), Config::parse(R"({"data.format": "text"})"));
  const BlockTokenizer blocks(*words, 12);
  const auto packed = pack_blocks(sentences, blocks);
  std::string all;
  for (int64_t i = 0; i < packed->size(); ++i) {
    const Example block = packed->get(i);
    text::TokenBatch batch;
    blocks.append(block.a, batch);
    EXPECT_LE(batch.length(0), 12);
    EXPECT_FALSE(batch.truncated(0)) << "whole sentences only";
    if (i + 1 < packed->size()) {
      const std::string next = packed->get(i + 1).a;
      EXPECT_GT(batch.length(0) + blocks.line_ids(next.substr(0, next.find('\n'))), 12)
          << "the next sentence would have fitted";
    }
    all += block.a;
  }
  EXPECT_EQ(all, file) << "every sentence once";
  EXPECT_EQ(packed->fingerprint(), pack_blocks(sentences, blocks)->fingerprint());
  EXPECT_NE(packed->fingerprint(),
            pack_blocks(sentences, BlockTokenizer(*words, 13))->fingerprint());
  expect_error(Status::kArgument, "block 16 of a dataset of 16",
               [&] { packed->get(packed->size()); });
}

TEST(BlockPacker, ABlockIsItsSentencesBetweenSpecialTokens) {
  for (const char* model : {"bert_st", "roberta_hf"}) {
    const auto words = tokenizer(model);
    const BlockTokenizer blocks(*words, 64);
    text::TokenBatch batch;
    blocks.append("the text\n\nanother one\n", batch);
    const auto first = words->encode("the text", 0).ids,
               second = words->encode("another one", 0).ids;
    std::vector<int32_t> expected = first;
    expected.insert(expected.end(), second.begin() + 1, second.end());
    EXPECT_EQ(batch.ids, expected) << model;
    EXPECT_EQ(batch.type_ids, std::vector<int32_t>(expected.size(), 0));
    EXPECT_EQ(batch.full_lengths, std::vector<int32_t>{static_cast<int32_t>(expected.size())});
  }
}

TEST(BlockPacker, ASentenceLongerThanABlockIsCutAndEmptyTextsStayTexts) {
  const auto words = tokenizer();
  const BlockTokenizer blocks(*words, 6);
  const auto data = make_dataset();
  for (const char* text : {"the", "the the the the the the the the", "", "the"}) {
    Example example;
    example.a = text;
    data->add(example);
  }
  const auto packed = pack_blocks(data, blocks);
  ASSERT_EQ(packed->size(), 3);
  text::TokenBatch batch;
  for (int64_t i = 0; i < 3; ++i) blocks.append(packed->get(i).a, batch);
  blocks.append("", batch);
  EXPECT_EQ(batch.length(0), 3);
  EXPECT_EQ(batch.length(1), 6);
  EXPECT_TRUE(batch.truncated(1));
  EXPECT_EQ(batch.length(2), 3) << "the empty line takes no ids";
  EXPECT_EQ(batch.length(3), 2);
}

TEST(BlockPacker, BothTextsOfAPairAreSentences) {
  const auto words = tokenizer();
  const auto data = make_dataset();
  data->add({"the", "the the", true});
  data->add({"the the the", "the", true});
  EXPECT_EQ(pack_blocks(data, BlockTokenizer(*words, 40))->get(0).a,
            "the\nthe the\nthe the the\nthe\n");
}

TEST(BlockPacker, RefusesWhatCannotBeBlocks) {
  const auto words = tokenizer();
  expect_error(Status::kArgument, "blocks of 2 ids have no room for text",
               [&] { BlockTokenizer(*words, 2); });
  expect_error(Status::kArgument, "blocks of a dataset without examples",
               [&] { pack_blocks(make_dataset(), BlockTokenizer(*words, 10)); });
}

}  // namespace
}  // namespace contrastive::data
