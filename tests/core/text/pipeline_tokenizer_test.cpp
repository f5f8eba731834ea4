#include "core/text/pipeline_tokenizer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "core/text/wordpiece_tokenizer.h"
#include "tests/expect_error.h"
#include "tests/core/text/ids.h"

namespace contrastive::text {
namespace {

using testing::ElementsAre;

// 0 [PAD] 1 [UNK] 2 [CLS] 3 [SEP] 4 [MASK] 5 the 6 cat 7 ##s 8 sat 9 . 10 中, and the added token
// <ent> after them.
TokenizerParts bert_parts() {
  TokenizerParts parts;
  parts.source = "test";
  TokenList tokens;
  for (const char* token :
       {"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "the", "cat", "##s", "sat", ".", "中"}) {
    tokens.emplace_back(token, static_cast<int32_t>(tokens.size()));
  }
  parts.vocabulary = std::make_shared<Vocabulary>(tokens, "test");
  parts.normalizer = bert_steps(true, true, true, true);
  parts.post_processor = bert_post_processor(2, 3);
  parts.special_ids = {0, 1, 2, 3, 4};
  parts.model_max_length = 64;
  AddedToken mask, ent;
  mask.content = "[MASK]";
  mask.id = 4;
  mask.special = true;
  ent.content = "<Ent>";
  ent.id = 11;
  ent.normalized = true;
  parts.added_tokens = {mask, ent};
  return parts;
}

const WordPieceTokenizer& bert() {
  static const WordPieceTokenizer made(bert_parts(), {});
  return made;
}

TEST(PipelineTokenizer, TruncatesOnTheLeftWhereToldTo) {
  TokenizerParts parts = bert_parts();
  parts.truncates_left = true;
  const WordPieceTokenizer left(parts, {});
  EXPECT_THAT(ids(left, "the cats sat ."), ElementsAre(2, 5, 6, 7, 8, 9, 3));
  EXPECT_THAT(ids(left, "the cats sat .", 5), ElementsAre(2, 7, 8, 9, 3));
  EXPECT_THAT(ids(left, "the cats sat .", 2), ElementsAre(2, 3));
  const Encoding encoding = left.encode("the cats sat .", 5);
  EXPECT_THAT(encoding.begins, ElementsAre(-1, 7, 9, 13, -1));
  EXPECT_THAT(encoding.ends, ElementsAre(-1, 8, 12, 14, -1));
  EXPECT_EQ(encoding.full_length, 7);
  EXPECT_THAT(left.encode_pair("the cats sat .", "cat the", 7).ids,
              ElementsAre(2, 8, 9, 3, 6, 5, 3));
  TokenBatch batch;
  left.append_pair("cat the", "the cats sat .", 7, batch);
  EXPECT_THAT(batch.ids, ElementsAre(2, 6, 5, 3, 8, 9, 3));
}

TEST(PipelineTokenizer, SplitsSpecialTokensWhereToldTo) {
  TokenizerParts parts = bert_parts();
  parts.splits_special_tokens = true;
  EXPECT_THAT(ids(WordPieceTokenizer(parts, {}), "the[MASK] <ENT>"),
              ElementsAre(2, 5, 1, 1, 1, 11, 3));
  AddedToken inside;  // the text of a skipped token is not searched again
  inside.content = "MASK";
  inside.id = 12;
  parts.added_tokens.push_back(inside);
  EXPECT_THAT(ids(WordPieceTokenizer(parts, {}), "[MASK]MASK"), ElementsAre(2, 1, 1, 1, 12, 3));
}

TEST(PipelineTokenizer, PutsTheStepsTogether) {
  EXPECT_THAT(ids(bert(), "The CATS sat."), ElementsAre(2, 5, 6, 7, 8, 9, 3));
  EXPECT_THAT(ids(bert(), "the[MASK]中 [mask] <ENT>s"),
              ElementsAre(2, 5, 4, 10, 1, 1, 1, 11, 1, 3));
  EXPECT_THAT(ids(bert(), ""), ElementsAre(2, 3));
  EXPECT_THAT(ids(bert(), " \t\n"), ElementsAre(2, 3));
  EXPECT_THAT(ids(bert(), std::string_view("\0\x01\x1F", 3)), ElementsAre(2, 3));
}

TEST(PipelineTokenizer, SaysWhereTokensComeFrom) {
  const std::string text =
      "Thé\xFF cats\xC3 中";  // two malformed bytes, which are read as U+FFFD and dropped
  const Encoding encoding = bert().encode(text, 0);
  EXPECT_THAT(encoding.ids, ElementsAre(2, 5, 6, 7, 10, 3));
  EXPECT_THAT(encoding.begins, ElementsAre(-1, 0, 6, 9, 12, -1));
  EXPECT_THAT(encoding.ends, ElementsAre(-1, 4, 9, 10, 15, -1));
}

TEST(PipelineTokenizer, MalformedTextIsRefusedWhereAsked) {
  TokenizerParts parts = bert_parts();
  parts.invalid_utf8 = InvalidUtf8::kError;
  const WordPieceTokenizer strict(parts, {});
  EXPECT_EQ(strict.invalid_utf8(), InvalidUtf8::kError);
  EXPECT_EQ(bert().invalid_utf8(), InvalidUtf8::kReplace);
  TokenBatch batch;
  strict.append("the cats", 0, batch);
  const std::pair<std::string, size_t> bad[] = {{"\xFF", 0},
                                                {"the\xC0\x80", 3},
                                                {"é\xE9", 2},
                                                {"\xED\xA0\x80", 0},
                                                {"cats \xF0\x9F\x98", 5},
                                                {"中\x80", 3},
                                                {std::string("\0\xFF", 2), 1}};
  for (const auto& [text, byte] : bad) {
    const std::string at = "is not valid UTF-8 at byte " + std::to_string(byte);
    expect_error(Status::kFormat, "text 1 " + at,
                 [&, text = text] { strict.append(text, 0, batch); });
    expect_error(Status::kFormat, "text a of pair 1 " + at,
                 [&, text = text] { strict.append_pair(text, "the", 0, batch); });
    expect_error(Status::kFormat, "text b of pair 1 " + at,
                 [&, text = text] { strict.append_pair("the", text, 0, batch); });
    expect_error(Status::kFormat, "text 0 " + at, [&, text = text] { strict.encode(text, 0); });
    expect_error(Status::kFormat, "text b of pair 0 " + at,
                 [&, text = text] { strict.encode_pair("the", text, 0); });
  }
  EXPECT_EQ(batch.texts(), 1) << "a refused text changes nothing";
  EXPECT_THAT(batch.ids, ElementsAre(2, 5, 6, 7, 3));
  for (const char* good : {"", "the cats sat.", "中 \xEF\xBF\xBD", "é"})
    EXPECT_EQ(strict.encode(good, 0).ids, bert().encode(good, 0).ids) << good;
}

TEST(PipelineTokenizer, CutsToTheLengthAndSaysSo) {
  EXPECT_THAT(ids(bert(), "the cats sat.", 5), ElementsAre(2, 5, 6, 7, 3));
  EXPECT_THAT(ids(bert(), "the cats sat.", 2), ElementsAre(2, 3));
  EXPECT_THAT(ids(bert(), "the cats sat.", 7).size(), 7u);
  TokenBatch batch;
  bert().append("the cats sat.", 5, batch);
  bert().append("the", 5, batch);
  EXPECT_THAT(batch.full_lengths, ElementsAre(7, 3));
  EXPECT_TRUE(batch.truncated(0));
  EXPECT_FALSE(batch.truncated(1));
  EXPECT_THAT(batch.offsets, ElementsAre(0, 5, 8));
  expect_error(Status::kArgument, "max_length is 1", [&] { bert().append("the", 1, batch); });
  expect_error(Status::kArgument, "special tokens alone are 3",
               [&] { bert().append_pair("the", "the", 2, batch); });
  expect_error(Status::kArgument, "max_length is -4", [&] { bert().encode("the", -4); });
  EXPECT_EQ(batch.texts(), 2);
}

TEST(PipelineTokenizer, PairsHaveSegments) {
  TokenBatch batch;
  bert().append_pair("the cats", "sat.", 0, batch);
  EXPECT_THAT(batch.ids, ElementsAre(2, 5, 6, 7, 3, 8, 9, 3));
  EXPECT_THAT(batch.type_ids, ElementsAre(0, 0, 0, 0, 0, 1, 1, 1));
  const Encoding cut = bert().encode_pair("the cats", "sat.", 6);
  EXPECT_THAT(cut.ids, ElementsAre(2, 5, 6, 3, 8, 3));
  EXPECT_EQ(cut.full_length, 8);
  EXPECT_THAT(cut.begins, ElementsAre(-1, 0, 4, -1, 0, -1));
}

TEST(PipelineTokenizer, KnowsItsVocabulary) {
  EXPECT_EQ(bert().vocab_size(), 12);
  EXPECT_EQ(bert().token(11), "<Ent>");
  EXPECT_EQ(bert().id("<Ent>"), 11);
  EXPECT_EQ(bert().token(7), "##s");
  EXPECT_EQ(bert().id("cat"), 6);
  EXPECT_EQ(bert().id("dog"), -1);
  EXPECT_EQ(bert().token(99), "");
  EXPECT_TRUE(bert().is_special(4));
  EXPECT_FALSE(bert().is_special(11));
  EXPECT_EQ(bert().special_ids().mask, 4);
  EXPECT_EQ(bert().model_max_length(), 64);
  EXPECT_EQ(bert().kind(), "wordpiece");
}

TEST(PipelineTokenizer, RefusesATemplateBeyondTheVocabulary) {
  TokenizerParts parts = bert_parts();
  parts.post_processor = bert_post_processor(2, 12);
  expect_error(Status::kFormat, "the template has id 12", [&] { WordPieceTokenizer(parts, {}); });
}

TEST(PipelineTokenizer, HugeTextsTakeLinearTime) {
  const auto begin = std::chrono::steady_clock::now();
  for (const std::string& unit :
       {std::string("a"), std::string("é"), std::string(" "), std::string("中"), std::string("."),
        std::string("[MASK"), std::string("\xFF"), std::string(1, '\0')}) {
    std::string text;
    while (text.size() < 10000000) text += unit;
    TokenBatch batch;
    bert().append(text, 16, batch);
    EXPECT_LE(batch.tokens(), 16);
  }
  EXPECT_THAT(ids(bert(), std::string(kLongestPart, 'a')), ElementsAre(2, 1, 3));
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::minutes(2));  // quadratic: days
}

TEST(PipelineTokenizer, ThreadsGetTheSameIds) {
  const std::vector<std::string> texts = {"the cats sat.", "中中 [MASK]", "Thé\xFF cats", "",
                                          "\u0301\u1B44 sat"};
  std::vector<std::vector<int32_t>> expected;
  for (const std::string& text : texts) expected.push_back(ids(bert(), text));
  const WordPieceTokenizer fresh(bert_parts(), {});  // the threads fill its pages
  std::vector<std::thread> threads;
  std::vector<int> wrong(6);
  for (int& count : wrong) {
    threads.emplace_back([&] {
      for (size_t i = 0; i < 2000; ++i) {
        TokenBatch batch;
        fresh.append(texts[i % texts.size()], 0, batch);
        count += batch.ids != expected[i % texts.size()];
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_THAT(wrong, testing::Each(0));
}

}  // namespace
}  // namespace contrastive::text
