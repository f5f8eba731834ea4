#include "core/model/encode_plan.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "core/base/error.h"
#include "core/model/sentence_encoder.h"
#include "tests/core/model/encoding.h"
#include "tests/expect_error.h"

namespace contrastive::model {
namespace {

TEST(SentenceEncoder, OptionsChooseNormalizationDimensionAndPrompt) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st", with_pooling("mean"));
  EncodeOptions raw, unit, cut;
  raw.normalize = 0;
  unit.normalize = 1;
  cut.normalize = 1;
  cut.truncate_dim = 5;
  const std::vector<std::string> texts{"the cat sat on the mat."};
  const std::vector<float> plain = encode(*encoder, texts, raw),
                           scaled = encode(*encoder, texts, unit),
                           shortened = encode(*encoder, texts, cut);
  double length = 0, cut_length = 0;
  for (const float x : plain) length += static_cast<double>(x) * static_cast<double>(x);
  for (size_t i = 0; i < 5; ++i) cut_length += std::pow(static_cast<double>(plain[i]), 2);
  for (size_t i = 0; i < plain.size(); ++i)
    EXPECT_NEAR(scaled[i], static_cast<double>(plain[i]) / std::sqrt(length), 1e-6);
  ASSERT_EQ(shortened.size(), 5U);
  for (size_t i = 0; i < 5; ++i)
    EXPECT_NEAR(shortened[i], static_cast<double>(plain[i]) / std::sqrt(cut_length), 1e-6);
  EncodeOptions prompted = raw;
  prompted.prompt = "the cat ";
  EXPECT_EQ(encode(*encoder, {"sat on the mat."}, prompted), plain);
}

TEST(SentenceEncoder, AnEmptyPromptSwitchesTheDefaultOneOff) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.prompts = {{"query", "the cat "}};
  folder.default_prompt_name = "query";
  const SentenceEncoder prompting(folder);
  EncodeOptions none, explicitly;
  none.prompt = "";
  explicitly.prompt = "the cat ";
  const std::vector<std::string> texts{"sat on the mat."};
  EXPECT_EQ(encode(prompting, texts, {}), encode(prompting, texts, explicitly));
  EXPECT_EQ(encode(prompting, texts, none),
            encode(*SentenceEncoder::load(kModels + "bert_st"), texts, none));
  EXPECT_NE(encode(prompting, texts, {}), encode(prompting, texts, none));
}

TEST(SentenceEncoder, WrongOptionsSayWhatIsAllowed) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const auto refused = [&](const EncodeOptions& options, const std::string& part) {
    expect_error(Status::kArgument, part, [&] { encode(*encoder, {"a"}, options); });
  };
  EncodeOptions options;
  options.pooling = "meen";
  refused(options, "did you mean 'mean'");
  options = {};
  options.prompt_name = "nobody";
  refused(options, "unknown prompt_name 'nobody'");
  options = {};
  options.truncate_dim = 1000;
  refused(options, "truncate_dim");
  options = {};
  options.max_length = 100000;
  refused(options, "max_length");
  options = {};
  options.normalize = 2;
  refused(options, "normalize");
}

TEST(SentenceEncoder, APoolingIsNeverGuessed) {
  expect_error(Status::kArgument, "states no pooling, and none is guessed",
               [] { SentenceEncoder::load(kModels + "roberta_hf"); });
  LoadOptions looks;
  looks.embeds = false;
  const auto plain = SentenceEncoder::load(kModels + "roberta_hf", looks);
  EXPECT_GT(plain->max_length(), 2);
  EXPECT_TRUE(plain->info().at("dimension").is_null());
  expect_error(Status::kArgument, "states no pooling, and none is guessed",
               [&] { encode(*plain, {"a"}); });
  EXPECT_EQ(SentenceEncoder::load(kModels + "roberta_hf", with_pooling("cls"))->dimension(), 24);
}

}  // namespace
}  // namespace contrastive::model
