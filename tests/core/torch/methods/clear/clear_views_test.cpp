#include "core/torch/methods/clear/clear_views.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::methods {
namespace {

class ClearViewsTest : public ::testing::Test {
 protected:
  ClearViews make(const std::string& json, int64_t more_rows = 0) {
    return ClearViews(read_clear_options(Config::parse(json)), model_->tokenizer(),
                      model_->shape().vocab_size + more_rows, 24, 1);
  }
  data::Batch batch(const std::vector<std::string>& texts, int64_t first_index = 0,
                    int64_t epoch = 0) {
    data::Batch batch;
    batch.epoch = epoch;
    tokens_.clear();
    for (const std::string& text : texts) {
      batch.indices.push_back(first_index + batch.size());
      batch.examples.emplace_back();
      batch.examples.back().a = text;
      model_->tokenizer().append(text, 24, tokens_);
    }
    return batch;
  }
  std::vector<int32_t> row(const text::TokenBatch& batch, int64_t i) {
    return {batch.ids.begin() + batch.offsets[static_cast<size_t>(i)],
            batch.ids.begin() + batch.offsets[static_cast<size_t>(i) + 1]};
  }

  std::shared_ptr<model::SentenceEncoder> model_ = tiny_model();
  text::TokenBatch tokens_;
};

TEST_F(ClearViewsTest, MasksOnceAndAugmentsTwice) {
  const data::Batch texts = batch({"the cat sat on the old red house", "a dog runs", ""});
  const ClearBatch made = make(R"({"clear.recipe": "del-word"})").make(texts, tokens_);
  ASSERT_EQ(made.texts.size(), 3u);
  EXPECT_EQ(made.masked, 1);
  const text::TokenBatch& masked = made.texts[0];
  EXPECT_EQ(masked.offsets, tokens_.offsets) << "masking changes no length";
  ASSERT_EQ(made.positions.size(), made.labels.size());
  ASSERT_FALSE(made.positions.empty());
  std::vector<int32_t> restored = masked.ids;
  for (size_t i = 0; i < made.positions.size(); ++i)
    restored[static_cast<size_t>(made.positions[i])] = static_cast<int32_t>(made.labels[i]);
  EXPECT_EQ(restored, tokens_.ids);
  for (const size_t view : {size_t{1}, size_t{2}}) {
    ASSERT_EQ(made.texts[view].texts(), 3);
    EXPECT_EQ(row(made.texts[view], 2), row(tokens_, 2)) << "an empty text has nothing to delete";
    EXPECT_LT(made.texts[view].length(0), tokens_.length(0));
    EXPECT_EQ(made.texts[view].type_ids.size(), made.texts[view].ids.size());
  }
  EXPECT_NE(row(made.texts[1], 0), row(made.texts[2], 0)) << "the views draw independently";
}

TEST_F(ClearViewsTest, DrawsAreAFunctionOfExampleAndEpoch) {
  const std::string text = "the cat sat on the old red house by the water and runs";
  const ClearViews views = make("{}");
  const data::Batch whole = batch({"a dog", text}, 7);
  const ClearBatch first = views.make(whole, tokens_), again = views.make(whole, tokens_);
  for (size_t i = 0; i < first.texts.size(); ++i) EXPECT_EQ(first.texts[i].ids, again.texts[i].ids);
  const data::Batch part = batch({text}, 8);
  const ClearBatch alone = views.make(part, tokens_);
  for (size_t i = 0; i < 3; ++i)
    EXPECT_EQ(row(alone.texts[i], 0), row(first.texts[i], 1))
        << "independent of the rest of the batch";
  const data::Batch later = batch({text}, 8, 1);
  const ClearBatch epoch = views.make(later, tokens_);
  EXPECT_NE(epoch.texts[1].ids, alone.texts[1].ids);
}

TEST_F(ClearViewsTest, TwoMasksOfATextAreDifferent) {
  const data::Batch texts = batch({"the cat sat on the old red house by the water and runs on"});
  const ClearBatch made = make(R"({"clear.objective": "double-mlm"})").make(texts, tokens_);
  ASSERT_EQ(made.texts.size(), 2u);
  EXPECT_EQ(made.masked, 2);
  int64_t in_first = 0;
  std::vector<int32_t> both = made.texts[0].ids;
  both.insert(both.end(), made.texts[1].ids.begin(), made.texts[1].ids.end());
  for (size_t i = 0; i < made.positions.size(); ++i) {
    in_first += made.positions[i] < tokens_.tokens();
    both[static_cast<size_t>(made.positions[i])] = static_cast<int32_t>(made.labels[i]);
  }
  EXPECT_GT(in_first, 0);
  EXPECT_LT(in_first, static_cast<int64_t>(made.positions.size()));
  EXPECT_EQ(std::vector<int32_t>(both.begin(), both.begin() + tokens_.tokens()), tokens_.ids);
  EXPECT_EQ(std::vector<int32_t>(both.begin() + tokens_.tokens(), both.end()), tokens_.ids);
  EXPECT_NE(made.texts[0].ids, made.texts[1].ids);
}

TEST_F(ClearViewsTest, EachViewMayHaveItsOwnRecipe) {
  const data::Batch texts = batch({"the cat sat on the old red house by the water"});
  const ClearBatch made = make(R"({"clear.view1_recipe": "none", "clear.view2_recipe": "reorder"})")
                              .make(texts, tokens_);
  EXPECT_EQ(made.texts[1].ids, tokens_.ids);
  EXPECT_NE(made.texts[2].ids, tokens_.ids);
  EXPECT_EQ(made.texts[2].tokens(), tokens_.tokens());
}

TEST_F(ClearViewsTest, DelMayBeAnyToken) {
  const text::Tokenizer& words = model_->tokenizer();
  EXPECT_EQ(make("{}").del_id(), words.special_ids().mask);
  EXPECT_EQ(make(R"({"clear.del_token": "new"})", 1).del_id(), model_->shape().vocab_size);
  EXPECT_EQ(make(R"({"clear.del_token": "id:9"})").del_id(), 9);
  for (const auto& [token, part] : std::vector<std::pair<std::string, std::string>>{
           {"unused:123", "neither [unused123] nor madeupword0123"},
           {"id:999999", "id:999999, but the model has"},
           {cat("id:", words.special_ids().cls), words.token(words.special_ids().cls)}}) {
    expect_error(Status::kArgument, part,
                 [&, token = token] { make(cat(R"({"clear.del_token": ")", token, "\"}")); });
  }
}

TEST_F(ClearViewsTest, SubstitutesFromATable) {
  const TemporaryFolder folder;
  const std::string path = folder.write("synonyms.json", R"({"the": ["a"], "cat": ["dog"]})");
  const ClearViews views = make(
      cat(R"({"clear.recipe": "subs", "clear.subs_prob": 0.99, "clear.synonyms": ")", path, "\"}"));
  const data::Batch texts = batch({"the cat sat"});
  const ClearBatch made = views.make(texts, tokens_);
  text::TokenBatch expected;
  model_->tokenizer().append("a dog sat", 24, expected);
  EXPECT_EQ(made.texts[1].ids, expected.ids);
}

}  // namespace
}  // namespace contrastive::methods
