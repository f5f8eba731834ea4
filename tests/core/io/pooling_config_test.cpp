#include "core/io/pooling_config.h"

#include "core/base/rng.h"
#include "tests/core/io/files.h"
#include "tests/expect_error.h"

namespace contrastive::io {
namespace {

using testing::ElementsAre;

PoolingConfig read(const char* json) {
  return read_pooling_config(Json::parse(json), "1_Pooling/config.json");
}

TEST(PoolingConfig, TheBooleansOfOldVersions) {
  const PoolingConfig config = read(
      R"({"word_embedding_dimension":384,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true,
    "pooling_mode_max_tokens":false,"pooling_mode_mean_sqrt_len_tokens":false})");
  EXPECT_THAT(config.poolings, ElementsAre("mean"));
  EXPECT_EQ(config.width, 384);
  EXPECT_TRUE(config.include_prompt);
}

TEST(PoolingConfig, SeveralAreConcatenatedInTheOrderOfSentenceTransformers) {
  EXPECT_THAT(
      read(
          R"({"pooling_mode_lasttoken":true,"pooling_mode_weightedmean_tokens":true,"pooling_mode_mean_sqrt_len_tokens":true,
    "pooling_mode_mean_tokens":true,"pooling_mode_max_tokens":true,"pooling_mode_cls_token":true})")
          .poolings,
      ElementsAre("cls", "max", "mean", "mean-sqrt", "weightedmean", "lasttoken"));
}

TEST(PoolingConfig, TheNamesOfToday) {
  EXPECT_THAT(
      read(R"({"embedding_dimension":32,"pooling_mode":"mean","include_prompt":false})").poolings,
      ElementsAre("mean"));
  EXPECT_FALSE(read(R"({"embedding_dimension":32,"pooling_mode":"mean","include_prompt":false})")
                   .include_prompt);
  EXPECT_THAT(read(R"({"pooling_mode":["mean_sqrt_len_tokens","cls"]})").poolings,
              ElementsAre("mean-sqrt", "cls"));
  // Both conventions in one file: the current one wins, as in sentence-transformers.
  EXPECT_THAT(read(R"({"pooling_mode":"max","pooling_mode_cls_token":true})").poolings,
              ElementsAre("max"));
}

TEST(PoolingConfig, ConsertsForkIsUnderstood) {
  EXPECT_THAT(
      read(R"({"pooling_mode_mean_tokens":false,"pooling_mode_mean_last_2_tokens":true})").poolings,
      ElementsAre("last2"));
}

TEST(PoolingConfig, NoneIsAnErrorNeverSilentlyMean) {
  for (const char* json : {"{}", R"({"pooling_mode_mean_tokens":false})", R"({"pooling_mode":[]})",
                           R"({"word_embedding_dimension":3})", R"({"pooling_mode":null})"}) {
    expect_error(Status::kFormat, "no pooling mode is on", [&] { read(json); });
  }
}

TEST(PoolingConfig, WhatIsUnknownIsRefused) {
  expect_error(Status::kUnsupported, "unknown pooling_mode 'meen'; did you mean 'mean'?",
               [] { read(R"({"pooling_mode":"meen"})"); });
  expect_error(Status::kUnsupported, "pooling_mode_attention is on",
               [] { read(R"({"pooling_mode_mean_tokens":true,"pooling_mode_attention":true})"); });
  expect_error(Status::kFormat, "pooling_mode must be a name",
               [] { read(R"({"pooling_mode":7})"); });
  expect_error(Status::kFormat, "pooling_mode_mean_tokens must be true or false",
               [] { read(R"({"pooling_mode_mean_tokens":"yes"})"); });
  expect_error(
      Status::kMismatch, "word_embedding_dimension is 999, but embedding_dimension is 32", [] {
        read(R"({"word_embedding_dimension":999,"embedding_dimension":32,"pooling_mode":"mean"})");
      });
  expect_error(Status::kFormat, "word_embedding_dimension must be a whole number",
               [] { read(R"({"word_embedding_dimension":-1})"); });
  expect_error(Status::kFormat, "a JSON object is needed", [] { read("[true]"); });
}

TEST(PoolingConfig, WhatIsWrittenIsReadBack) {
  const std::vector<std::vector<std::string>> lists = {{"mean"},
                                                       {"cls", "max", "mean", "mean-sqrt",
                                                        "weightedmean", "lasttoken"},
                                                       {"mean", "cls"},
                                                       {"max", "max"}};
  for (const auto& list : lists) {
    const Json json = write_pooling_config({list, 24, false});
    const PoolingConfig back = read_pooling_config(json, "x");
    EXPECT_EQ(back.poolings, list) << json.dump();
    EXPECT_EQ(back.width, 24);
    EXPECT_FALSE(back.include_prompt);
    // Every version reads the booleans, so they are used unless they cannot express the pooling.
    EXPECT_EQ(json.contains("pooling_mode"), list != lists[0] && list != lists[1]);
  }
}

TEST(PoolingConfig, AWidthThatIsNotStatedIsNotWritten) {
  const Json json = write_pooling_config({{"mean"}, 0, true});
  EXPECT_FALSE(json.contains("word_embedding_dimension"));
  EXPECT_EQ(read_pooling_config(json, "x").width, 0);
}

TEST(PoolingConfig, PoolingsOfOurOwnBecomeTheNearestOfTheirs) {
  const std::vector<std::string> own = {"last2",       "first-last", "layer:1:cls",
                                        "layer:2:max", "cls-pooler", "lasttoken"};
  EXPECT_FALSE(poolings_are_expressible(own));
  EXPECT_THAT(nearest_expressible(own),
              ElementsAre("mean", "mean", "cls", "max", "cls", "lasttoken"));
  EXPECT_TRUE(poolings_are_expressible({"mean-sqrt"}));
  EXPECT_FALSE(
      write_pooling_config({{"last2"}, 8, true}).contains("pooling_mode_mean_last_2_tokens"));
}

TEST(PoolingConfig, MutatedFilesAreReadOrRefusedNeverWorse) {
  const std::string good =
      R"({"word_embedding_dimension":384,"pooling_mode_cls_token":false,"pooling_mode_mean_tokens":true,"include_prompt":true})";
  Rng rng(3, Purpose::kSubset);
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    std::string text = good;
    for (uint64_t changes = 1 + rng.below(3); changes > 0; --changes)
      text[rng.below(text.size())] = "0123456789-{}[]\",:truefals"[rng.below(27)];
    try {
      EXPECT_FALSE(read_pooling_config(parse_json(text, "mutated"), "mutated").poolings.empty());
    } catch (const Error&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace contrastive::io
