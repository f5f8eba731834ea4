// Columns of anchors, positives and hard negatives: which example owns them, prompts, and random
// streams that do not depend on the batch.
#include "core/torch/methods/ranked_texts.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

class RankedTextsTest : public ::testing::Test {
 protected:
  explicit RankedTextsTest() {
    MethodContext context;
    context.start = start_;
    encoder_ = std::make_unique<TunedEncoder>(context, TunedEncoderOptions());
    batch_ = some_pairs();
    batch_.examples[0].negatives = {"one", "two cats"};
    batch_.examples[3].negatives = {"winter"};
  }
  Views views(data::Batch batch, const std::string& anchor = "",
              const std::string& candidate = "") const {
    const RankedTexts texts(*encoder_, Prompt(anchor, *start_), Prompt(candidate, *start_));
    texts.tokenize(batch);
    return texts.views(batch);
  }
  // Examples `begin` to `end`, as a part of an update.
  data::Batch part(size_t begin, size_t end) const {
    data::Batch part = batch_;
    const auto cut = [&](auto& all) {
      all = {all.begin() + static_cast<std::ptrdiff_t>(begin),
             all.begin() + static_cast<std::ptrdiff_t>(end)};
    };
    cut(part.examples);
    cut(part.indices);
    return part;
  }

  std::shared_ptr<model::SentenceEncoder> start_ = tiny_model();
  std::unique_ptr<TunedEncoder> encoder_;
  data::Batch batch_;
  const at::NoGradGuard no_grad_;
};

TEST_F(RankedTextsTest, NegativesFollowTheirExamples) {
  EXPECT_EQ(negative_owners(batch_), (std::vector<int64_t>{0, 0, 3}));
  const Views v = views(batch_);
  ASSERT_EQ(v.vectors.size(), 6u);
  EXPECT_EQ(v["anchor"].size(0), 4);
  EXPECT_EQ(v["positive"].size(0), 4);
  EXPECT_EQ(v["negative"].size(0), 3);
  EXPECT_EQ(v["negative.text"].size(0), 3);
}

TEST_F(RankedTextsTest, PartsJoinedAreTheWholeDropoutIncluded) {
  const Views whole = views(batch_), parts = join({views(part(0, 1)), views(part(1, 4))});
  for (const std::string name : {"anchor", "positive", "negative"}) {
    EXPECT_TRUE(parts[name].allclose(whole[name], 1e-4, 1e-5)) << name;
    EXPECT_TRUE(parts[name + ".text"].equal(whole[name + ".text"])) << name;
  }
  EXPECT_EQ(parts.tokens, whole.tokens);
  RepeatedTexts repeated("key");
  EXPECT_NEAR(ranked_loss(parts, batch_, {}, repeated).item<double>(),
              ranked_loss(whole, batch_, {}, repeated).item<double>(), 1e-4);
}

TEST_F(RankedTextsTest, EqualTextsInDifferentPlacesHaveDropoutOfTheirOwn) {
  data::Batch same = pairs_batch({{"the cat", "the cat"}, {"the cat", "the cat"}});
  same.examples[0].negatives = {"the cat", "the cat"};
  const Views v = views(same);
  const at::Tensor rows[] = {v["anchor"][0],   v["anchor"][1],   v["positive"][0],
                             v["positive"][1], v["negative"][0], v["negative"][1]};
  for (int i = 0; i < 6; ++i) {
    for (int k = 0; k < i; ++k)
      EXPECT_FALSE(rows[i].allclose(rows[k], 1e-3, 1e-3)) << i << " " << k;
  }
}

TEST_F(RankedTextsTest, PromptsStandBeforeTheTexts) {
  data::Batch prompted = batch_, plain = batch_;
  for (data::Example& example : plain.examples) {
    example.a = "the old " + example.a;
    for (std::string& text : example.negatives) text = "a new " + text;
    example.b = "a new " + example.b;
  }
  const Views v = views(prompted, "the old ", "a new "), expected = views(plain);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_TRUE(v.vectors[i].rows.equal(expected.vectors[i].rows)) << i;
}

TEST_F(RankedTextsTest, APromptThatPoolingLeavesOutIsLeftOut) {
  const text::TokenBatch tokens = encoder_->tokenize({"the old cat", "the old dog sat"});
  data::Batch two = pairs_batch({{"cat", ""}, {"dog sat", ""}});
  const PackedViews packed(two, {{&tokens, 0, {}, {}, 3}});  // [CLS] the old
  ASSERT_NE(packed.pooled(), nullptr);
  const std::vector<uint8_t> pooled(packed.pooled(), packed.pooled() + packed.tokens().tokens());
  EXPECT_EQ(pooled, (std::vector<uint8_t>{0, 0, 0, 1, 1, 0, 0, 0, 1, 1, 1}));
  const at::Tensor mean = encoder_->forward(packed, false);
  const at::Tensor last =
      encoder_->run_layers(encoder_->embed(packed, false), packed, false).back();
  EXPECT_TRUE(mean[0].allclose(last.narrow(0, 3, 2).mean(0), 1e-4, 1e-5));
  EXPECT_EQ(PackedViews(two, {{&tokens, 0}}).pooled(), nullptr);
}

TEST_F(RankedTextsTest, AMixtureOfPairsAndSingleTextsIsRefused) {
  batch_.examples[2].has_b = false;
  expect_error(Status::kArgument, "3 of its 4 examples", [&] { views(batch_); });
}

TEST_F(RankedTextsTest, TheSameTextIsTheSameBehindDifferentPrompts) {
  batch_.examples[1].a = batch_.examples[0].b;
  batch_.examples[2].negatives = {batch_.examples[0].b};
  for (const std::string candidate : {"", "a new "}) {
    const Views v = views(batch_, candidate, candidate),
                apart = views(batch_, "the old ", candidate);
    for (const Views& both : {v, apart}) {
      EXPECT_TRUE(both["anchor.text"][1].equal(both["positive.text"][0])) << candidate;
      EXPECT_TRUE(both["negative.text"][2].equal(both["positive.text"][0])) << candidate;
      EXPECT_FALSE(both["anchor.text"][0].equal(both["positive.text"][0])) << candidate;
    }
  }
}

}  // namespace
}  // namespace contrastive::methods
