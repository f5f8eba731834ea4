#include "core/torch/methods/simcse/simcse.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "tests/core/torch/methods/method_tests.h"

namespace contrastive::methods {
namespace {

TEST(SimCse, DropoutIsAllThatTellsTheTwoViewsApart) {
  const auto method = make_method("simcse", R"({"simcse.mlp": "none"})");
  const Views v = method->views(some_texts());
  ASSERT_EQ(v.vectors.size(), 3u);
  EXPECT_FALSE(v["a.view1"].allclose(v["a.view2"], 1e-2, 1e-2));
  const Views again = method->views(some_texts());
  for (size_t i = 0; i < 3; ++i) EXPECT_TRUE(again.vectors[i].rows.equal(v.vectors[i].rows));
  data::Batch next = some_texts();
  next.epoch = 1;
  EXPECT_FALSE(method->views(next)["a.view1"].allclose(v["a.view1"], 1e-2, 1e-2));
}

TEST(SimCse, InDropoutModeBothTextsOfAPairAreExamples) {
  const auto method =
      make_method("simcse", R"({"simcse.positives": "dropout", "simcse.mlp": "none"})");
  const Views v = method->views(some_pairs());
  EXPECT_EQ(v.vectors.size(), 6u);
  // Eight texts, each of which must find its view among eight.
  const double loss = loss_of(*method, some_pairs());
  EXPECT_GT(loss, 0);
  EXPECT_LT(loss, 40 + std::log(8.0));
  const char* const mask = R"({"simcse.positives": "dropout", "simcse.false_negatives": "mask"})";
  EXPECT_NEAR(loss_of("simcse", mask, pairs_batch({{"a", "a"}, {"a", "a"}})), 0, 1e-6);
}

TEST(SimCse, HardNegativesCountByTheirWeight) {
  data::Batch triplets = some_pairs();
  for (data::Example& example : triplets.examples) example.negatives = {example.b + " closed"};
  const auto loss = [&](const char* keys, const data::Batch& batch) {
    return loss_of("simcse", cat(R"({"simcse.dropout": false)", keys, "}"), batch);
  };
  const double pairs = loss("", some_pairs()), plain = loss("", triplets);
  EXPECT_GT(plain, pairs);
  EXPECT_GT(loss(R"(, "simcse.hard_negative_weight": 3)", triplets), plain);
  EXPECT_LT(loss(R"(, "simcse.hard_negative_weight": 0.1)", triplets), plain);
  EXPECT_EQ(loss(R"(, "simcse.hard_negative_weight": 3)", some_pairs()), pairs);
}

TEST(SimCse, TheMlpIsThrownAwayOrDelivered) {
  const std::vector<std::string_view> texts = {"the cat", "a dog", ""};
  for (const char* mlp : {"none", "train", "always"}) {
    const auto method = make_method("simcse", cat(R"({"simcse.mlp": ")", mlp, "\"}"));
    loss_terms(*method, some_pairs());
    const auto encoder = method->deliver();
    EXPECT_EQ(encoder->folder().dense.size(), std::string(mlp) == "always" ? 1u : 0u) << mlp;
    EXPECT_EQ(encoder->folder().poolings, std::vector<std::string>{"cls"});
    EXPECT_TRUE(delivered(*method, texts).allclose(embeddings(*method, texts), 1e-4, 1e-5)) << mlp;
    size_t heads = 0;
    for (const Parameter& p : method->parameters()) heads += p.name.rfind("mlp.", 0) == 0 ? 1 : 0;
    EXPECT_EQ(heads, std::string(mlp) == "none" ? 0u : 2u) << mlp;
  }
}

TEST(SimCse, DegenerateBatches) {
  EXPECT_EQ(loss_of("simcse", "{}", singles_batch({"alone"})), 0);
  EXPECT_EQ(loss_of("simcse", "{}", pairs_batch({{"alone", "and only"}})), 0);
  EXPECT_NEAR(loss_of("simcse", R"({"simcse.dropout": false})",
                      pairs_batch({{"same", "same"}, {"same", "same"}, {"same", "same"}})),
              std::log(3.0), 1e-4);
  EXPECT_TRUE(std::isfinite(loss_of("simcse", "{}", singles_batch({"", "", "a"}))));
}

}  // namespace
}  // namespace contrastive::methods
