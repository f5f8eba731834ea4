#include "core/model/token_packing.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/model/sentence_encoder.h"
#include "core/runtime/threads.h"
#include "tests/core/model/encoding.h"

namespace contrastive::model {
namespace {

TEST(SentenceEncoder, OrderBatchesAndThreadsDoNotChangeAnEmbedding) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  std::vector<std::string> texts;
  for (int i = 0; i < 500; ++i) {
    std::string text;
    for (int word = 0; word <= i % 23; ++word)
      text += word % 2 == 0 ? "the cat " : "sat on a mat. ";
    texts.push_back(i % 50 == 0 ? "" : text + std::to_string(i));
  }
  const int before = runtime::threads();
  const size_t width = static_cast<size_t>(encoder->dimension());
  runtime::set_threads(1);
  const std::vector<float> all = encode(*encoder, texts);
  runtime::set_threads(4);
  EXPECT_EQ(encode(*encoder, texts), all);
  EncodeOptions small;
  small.batch_tokens = 40;
  const std::vector<float> in_small_batches = encode(*encoder, texts, small);
  for (size_t i = 0; i < all.size(); ++i) ASSERT_NEAR(in_small_batches[i], all[i], 1e-6);
  for (size_t i = 0; i < texts.size(); i += 7) {
    const std::vector<float> alone = encode(*encoder, {texts[i]});
    for (size_t d = 0; d < width; ++d)
      ASSERT_NEAR(alone[d], all[i * width + d], 1e-6) << "text " << i;
  }
  runtime::set_threads(before);
}

TEST(SentenceEncoder, TokenCountsShowTruncation) {
  const auto encoder = SentenceEncoder::load(kModels + "bert_st");
  const std::vector<std::string> texts{"the cat sat on the mat the cat sat on the mat", "the"};
  EncodeOptions options;
  options.max_length = 6;
  std::vector<int32_t> counts(2);
  std::vector<float> out(2 * static_cast<size_t>(encoder->dimension()));
  encoder->encode(views(texts), options, out.data(), counts.data());
  EXPECT_GT(counts[0], 6);
  EXPECT_EQ(counts[1], 3);
}

TEST(SentenceEncoder, ExcludedIdsAndPromptTokensStayOutOfPooling) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.poolings = {"mean"};
  folder.normalize = false;
  folder.include_prompt = false;
  const SentenceEncoder encoder(folder);
  EncodeOptions prompted;
  prompted.prompt = "the cat";
  text::TokenBatch batch;
  encoder.tokenizer().append("the cat sat", 0, batch);
  EncodeOptions excluded;  // [CLS] and the prompt's tokens "the" and "cat"
  for (size_t i = 0; i < 3; ++i) excluded.exclude_ids.push_back(batch.ids[i]);
  const std::vector<float> got = encode(encoder, {" sat"}, prompted);
  const std::vector<float> expected = encoder.embed(batch, excluded);
  for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6);
  EncodeOptions all = excluded;
  all.normalize = 1;
  all.exclude_ids.assign(batch.ids.begin(), batch.ids.end());
  for (const float number : encoder.embed(batch, all)) EXPECT_EQ(number, 0) << "zero, not NaN";
}

// sentence-transformers counts the tokens of the prompt after truncation, so the closing token of
// the text remains. Its cls pooling takes the first remaining token.
TEST(SentenceEncoder, APromptThatFillsTheTextLeavesItsLastToken) {
  io::ModelFolder folder = io::read_model_folder(kModels + "bert_st");
  folder.normalize = false;
  folder.include_prompt = false;
  folder.poolings = {"lasttoken"};
  folder.max_seq_length = 6;
  const SentenceEncoder encoder(folder);
  EncodeOptions prompted, whole;
  prompted.prompt = "the cat sat the cat sat the cat sat";
  whole.prompt = "";
  const std::vector<float> last = encode(encoder, {*prompted.prompt + " red"}, whole);
  for (const char* pooling : {"cls", "max", "mean", "mean-sqrt", "weightedmean", "lasttoken",
                              "layer:2:cls", "layer:2:mean"}) {
    prompted.pooling = pooling;
    const std::vector<float> got = encode(encoder, {" red"}, prompted);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], last[i], 1e-6) << pooling;
  }
  prompted.prompt = "the";
  for (const char* pooling : {"cls", "layer:2:cls"}) {  // the token after [CLS] and the prompt
    prompted.pooling = pooling;
    text::TokenBatch batch;
    encoder.tokenizer().append("the cat", 0, batch);
    EncodeOptions only;
    only.pooling = "mean";
    only.exclude_ids = {batch.ids[0], batch.ids[1], batch.ids[3]};
    const std::vector<float> got = encode(encoder, {" cat"}, prompted),
                             expected = encoder.embed(batch, only);
    for (size_t i = 0; i < got.size(); ++i) EXPECT_NEAR(got[i], expected[i], 1e-6) << pooling;
  }
}

}  // namespace
}  // namespace contrastive::model
