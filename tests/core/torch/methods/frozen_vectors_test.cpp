#include "core/torch/methods/frozen_vectors.h"

#include <ATen/TensorOperators.h>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

TEST(FrozenVectors, AreThoseOfTheFolderOrOfTheStartModel) {
  const std::string folder = fixtures() + "/models/bert_st_old";
  const MethodContext context = tiny_context();
  FrozenVectors other("key", folder, context), own("key", "", context);
  const std::vector<std::string_view> texts = {"the cat", "a dog", "the cat"};
  EXPECT_EQ(other.dimension(), 12);
  EXPECT_EQ(own.dimension(), 32);
  EXPECT_TRUE(
      other(texts).allclose(embedded(*model::SentenceEncoder::load(folder), texts), 1e-5, 1e-6));
  EXPECT_TRUE(own(texts).allclose(embedded(*context.start, texts), 1e-5, 1e-6));
}

TEST(FrozenVectors, ColumnsFollowTheExamples) {
  data::Batch batch = some_pairs();
  batch.examples[1].negatives = {"one", "two cats"};
  FrozenVectors vectors("key", "", tiny_context());
  const auto with = vectors.columns(batch, true), without = vectors.columns(batch, false);
  ASSERT_EQ(with.size(), 3u);
  EXPECT_EQ(with[2].size(0), 2);
  EXPECT_EQ(without[2].size(0), 0);
  EXPECT_TRUE(with[1][3].equal(vectors({"blue tree"})[0]));
  EXPECT_TRUE(with[2][1].equal(vectors({"two cats"})[0]));
  EXPECT_EQ(vectors.columns(some_texts(), true)[1].size(0), 0);
}

TEST(FrozenVectors, ARunThatGoesOnHasTheVeryRows) {
  FrozenVectors first("key", "", tiny_context()), second("key", "", tiny_context());
  const at::Tensor alone = first({"the cat sat on the mat"});
  MethodState state;
  state = first.save();
  second.load(state);
  EXPECT_TRUE(second({"a dog", "the cat sat on the mat"})[1].equal(alone[0]));
}

TEST(FrozenVectors, AFolderKeepsThemAcrossRuns) {
  const TemporaryFolder folder;
  {
    FrozenVectors first("key", "", tiny_context(folder / "cache"));
    first({"the cat", "a dog"});
  }
  FrozenVectors second("key", "", tiny_context(folder / "cache"));
  EXPECT_EQ(second.save().tensors.at("cache.records").size(0), 0) << "only what the folder keeps";
  EXPECT_EQ(second({"the cat"}).size(0), 1);
  EXPECT_EQ(second.save().tensors.at("cache.records").size(0), 0) << "nothing new was embedded";
}

}  // namespace
}  // namespace contrastive::methods
