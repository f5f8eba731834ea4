#include "core/torch/methods/consert/consert_views.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/tensor.h>
#include <gmock/gmock.h>

#include "core/torch/methods/consert/consert.h"
#include "tests/core/torch/methods/consert/consert_tests.h"
#include "tests/core/torch/methods/loss_terms.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

TEST(Consert, ViewsAreAFunctionOfTheirExample) {
  for (
      const char* json :
      {R"({"consert.view1": "dropout", "consert.view2": "shuffle+span-cutoff", "consert.dropout": true})",
       R"({"consert.mode": "joint", "consert.view1": "token-cutoff", "consert.view2": "adversarial"})"}) {
    const auto method = make(json);
    const bool labelled = std::string(json).find("joint") != std::string::npos;
    const data::Batch batch = labelled ? kPairs : batch_of(kTexts);
    const Views one = method->views(batch), two = method->views(batch);
    Views without_graph;
    {
      const at::NoGradGuard no_grad;
      without_graph = method->views(batch);
    }
    ASSERT_EQ(one.vectors.size(), two.vectors.size());
    for (size_t i = 0; i < one.vectors.size(); ++i) {
      EXPECT_TRUE(one.vectors[i].rows.equal(two.vectors[i].rows))
          << json << " " << one.vectors[i].name;
      EXPECT_TRUE(one.vectors[i].rows.equal(without_graph.vectors[i].rows))
          << json << " " << one.vectors[i].name;
      EXPECT_FALSE(without_graph.vectors[i].rows.requires_grad())
          << json << " " << one.vectors[i].name;
    }
    data::Batch later = batch;
    later.epoch = 1;
    const Views other = method->views(later);
    EXPECT_FALSE(other.vectors[0].rows.equal(one.vectors[0].rows) &&
                 other.vectors[1].rows.equal(one.vectors[1].rows))
        << json;
  }
}

TEST(Consert, AViewDoesNotDependOnTheBatchAroundIt) {
  const auto method = make(
      R"({"consert.view1": "feature-cutoff", "consert.view2": "shuffle", "consert.dropout": true})");
  const Views whole = method->views(batch_of(kTexts)),
              part = method->views(batch_of({kTexts[2], kTexts[3]}, 2));
  for (const char* view : {"a.view1", "a.view2"})
    EXPECT_TRUE(whole[view].narrow(0, 2, 2).allclose(part[view], 1e-5, 1e-6)) << view;
}

TEST(Consert, TheTwoTextsOfAPairDrawApart) {
  const auto method = make("{}");
  data::Batch batch = pairs_of({{kTexts[0], kTexts[0]}});
  method->tokenize(batch);
  augment::Strategy strategy = augment::parse_strategy("shuffle", 0, "view");
  const auto places = [&](int64_t column, Purpose view) {
    return draw_view(strategy, batch.tokens[static_cast<size_t>(column)], batch, 32,
                     {1, view, column, 0})
        .positions;
  };
  EXPECT_NE(places(0, Purpose::kViewOne), places(1, Purpose::kViewOne));
  EXPECT_NE(places(0, Purpose::kViewOne), places(0, Purpose::kViewTwo));
  EXPECT_EQ(places(0, Purpose::kViewOne), places(0, Purpose::kViewOne));
}

TEST(Consert, RobertaShufflesItsOwnPositionsUnlessTheReleasedCodeIsAsked) {
  const std::string folder = fixtures() + "/models/roberta_hf";
  model::LoadOptions options;
  options.pooling = "mean";
  for (const auto& [preset, first] :
       {std::pair("auto", int64_t{2}), std::pair("consert-code", int64_t{0})}) {
    const auto method = make(
        std::string(
            R"({"consert.view1": "shuffle", "consert.view2": "shuffle", "consert.preset": ")") +
            preset + "\"}",
        model::SentenceEncoder::load(folder, options));
    const data::Batch batch = batch_of({"cat sat", "a bird"});
    data::Batch tokenized = batch;
    method->tokenize(tokenized);
    int64_t longest = 0;
    for (int64_t i = 0; i < 2; ++i) longest = std::max(longest, tokenized.tokens[0].length(i));
    loss_terms(*method, batch).total().backward();
    for (const Parameter& p : method->parameters()) {
      if (p.name != "embeddings.position_embeddings.weight") continue;
      const at::Tensor touched = p.tensor.grad().abs().sum(1).gt(0);
      for (int64_t row = 0; row < touched.size(0); ++row) {
        // Row 1 is the padding token's, which does not train.
        EXPECT_EQ(touched[row].item<bool>(), row >= first && row < first + longest && row != 1)
            << preset << " row " << row;
      }
    }
  }
}

TEST(Consert, AShuffledRobertaTextReadsThePublishedPositions) {
  const Json published =
      read_json_file(fixtures() + "/vectors.json")["position_ids"]["roberta_shuffle"];
  const auto places = published["perm_of_nonpad"].get<std::vector<int32_t>>();
  const auto n = static_cast<int64_t>(places.size());
  data::Batch batch = batch_of({"one text"});
  text::TokenBatch tokens;
  for (int32_t i = 0; i < n; ++i) tokens.ids.push_back(70 + i);
  tokens.type_ids.assign(places.size(), 0);
  tokens.offsets = {0, n};
  tokens.full_lengths = {static_cast<int32_t>(n)};
  // A seed for which the library draws the published order: one of 4! orders, so a small seed
  // exists.
  const augment::Strategy shuffle = augment::parse_strategy("shuffle", 0, "view");
  View view{&tokens};
  for (uint64_t seed = 1; view.positions != places && seed < 1000; ++seed) {
    view.positions =
        draw_view(shuffle, tokens, batch, 24, {seed, Purpose::kViewTwo, 0, 0}).positions;
  }
  ASSERT_EQ(view.positions, places);
  MethodContext context;
  model::LoadOptions options;
  options.pooling = "mean";
  context.start =
      model::SentenceEncoder::load(fixtures() + "/models/roberta_hf", on_test_device(options));
  TunedEncoder encoder(context, {});
  const at::NoGradGuard no_grad;
  const at::Tensor embedded = encoder.embed(PackedViews(batch, {view}), false);
  const nn::TorchEmbeddingWeights w = encoder.encoder().weights().embeddings;
  for (int64_t i = 0; i < n; ++i) {
    const at::Tensor sum =
        w.words[70 + i] +
        w.positions[published["expected"][static_cast<size_t>(i)].get<int64_t>()] + w.types[0];
    const at::Tensor centred = sum - sum.mean();
    const at::Tensor by_hand =
        centred / (centred.square().mean() + encoder.shape().layer_norm_eps).sqrt() *
            w.norm.weight +
        w.norm.bias;
    EXPECT_TRUE(embedded[i].allclose(by_hand, 1e-5, 1e-5)) << i;
  }
}

}  // namespace
}  // namespace contrastive::methods
