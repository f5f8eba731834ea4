#include "core/torch/tasks/glue/glue_tokens.h"

#include <gtest/gtest.h>

#include "tests/core/torch/tasks/glue/glue_tests.h"
#include "tests/expect_error.h"

namespace contrastive::eval {
namespace {

std::vector<int32_t> ids_of(const text::TokenBatch& batch, int64_t text) {
  return {batch.ids.begin() + batch.offsets[static_cast<size_t>(text)],
          batch.ids.begin() + batch.offsets[static_cast<size_t>(text) + 1]};
}
std::vector<int32_t> types_of(const text::TokenBatch& batch, int64_t text) {
  return {batch.type_ids.begin() + batch.offsets[static_cast<size_t>(text)],
          batch.type_ids.begin() + batch.offsets[static_cast<size_t>(text) + 1]};
}

// tests/golden/eval/glue.py: Hugging Face's ids and segments of pairs, truncation "longest_first".
TEST(GlueTokens, PairsAreHuggingFaces) {
  const Json& pairs = glue_golden().at("pairs");
  ASSERT_EQ(pairs.size(), 200u);
  for (const char* name : {"bert_st", "roberta_hf"}) {
    const auto model = glue_model(name);
    for (const int64_t length : {9, 12, 17, 40}) {
      GlueSet set;
      std::vector<const Json*> wanted;
      for (const Json& pair : pairs) {
        if (pair.at("model") != name || pair.at("max_length") != length) continue;
        set.first.push_back(pair.at("a"));
        set.second.push_back(pair.at("b"));
        wanted.push_back(&pair);
      }
      ASSERT_EQ(set.size(), 25);
      const text::TokenBatch batch = tokenise_glue(model->tokenizer(), set, length, nullptr);
      ASSERT_EQ(batch.texts(), 25);
      for (int64_t i = 0; i < 25; ++i) {
        const Json& pair = *wanted[static_cast<size_t>(i)];
        EXPECT_EQ(ids_of(batch, i), pair.at("ids").get<std::vector<int32_t>>()) << pair.dump();
        EXPECT_EQ(types_of(batch, i), pair.at("type_ids").get<std::vector<int32_t>>())
            << pair.dump();
      }
    }
  }
}

TEST(GlueTokens, ManyTextsKeepTheirOrder) {
  const auto model = glue_model();
  GlueSet set;
  for (int64_t i = 0; i < 500; ++i)
    set.first.push_back("the cat " + std::to_string(i) + (i % 7 == 0 ? " sat on the mat" : ""));
  const text::TokenBatch all = tokenise_glue(model->tokenizer(), set, 0, nullptr);
  ASSERT_EQ(all.texts(), 500);
  for (const int64_t i : {0, 63, 64, 65, 499}) {
    text::TokenBatch alone;
    model->tokenizer().append(set.first[static_cast<size_t>(i)], 0, alone);
    EXPECT_EQ(ids_of(all, i), alone.ids) << i;
    EXPECT_EQ(all.full_lengths[static_cast<size_t>(i)], alone.full_lengths[0]);
  }
  const text::TokenBatch picked = pick_texts(all, {70, 7, 499, 7});
  ASSERT_EQ(picked.texts(), 4);
  EXPECT_EQ(ids_of(picked, 0), ids_of(all, 70));
  EXPECT_EQ(ids_of(picked, 1), ids_of(all, 7));
  EXPECT_EQ(ids_of(picked, 2), ids_of(all, 499));
  EXPECT_EQ(ids_of(picked, 3), ids_of(all, 7));
  EXPECT_EQ(types_of(picked, 1), types_of(all, 7));
}

TEST(GlueTokens, CanBeCancelled) {
  GlueSet set;
  set.first = {"a"};
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { tokenise_glue(glue_model()->tokenizer(), set, 0, &cancel); });
}

}  // namespace
}  // namespace contrastive::eval
