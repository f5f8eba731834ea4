#include "core/torch/methods/multiple_negatives/multiple_negatives.h"

#include <ATen/TensorOperators.h>

#include <cmath>

#include "core/torch/nn/torch_encoder.h"
#include "core/torch/tensors/tensors.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

const char* const kPlain = R"({"mnrl.dropout": false})";

// The tiny model with a dense module after its pooling.
std::shared_ptr<model::SentenceEncoder> model_with_dense() {
  const auto start = tiny_model();
  // Any matrix [32, 32].
  const at::Tensor square =
      nn::trainable(start->encoder()).weights().layers[0].query.weight.detach().cpu();
  start->set_dense({{tensors::from_torch(square.narrow(0, 0, 8)).clone(),
                     tensors::from_torch(square[9].narrow(0, 0, 8)).clone(), "tanh"}});
  return start;
}

TEST(MultipleNegatives, TrainsTheDenseModulesToo) {
  const auto start = model_with_dense();
  const Tensor before = start->folder().dense[0].weight.clone();
  const auto method = make_method("mnrl", kPlain, start);
  EXPECT_EQ(method->dimension(), 8);
  loss_terms(*method, some_pairs()).total().backward();
  int dense = 0;
  for (const Parameter& p : method->parameters()) {
    if (p.name.rfind("dense.0.", 0) != 0) continue;
    ++dense;
    EXPECT_EQ(p.decay, p.name == "dense.0.weight");
    ASSERT_TRUE(p.tensor.grad().defined());
    EXPECT_GT(p.tensor.grad().abs().max().item<double>(), 0) << p.name;
    p.tensor.detach().add_(0.5);
  }
  EXPECT_EQ(dense, 2);
  EXPECT_TRUE(start->folder().dense[0].weight == before);
  const auto encoder = method->deliver();
  EXPECT_TRUE(tensors::to_torch(encoder->folder().dense[0].weight)
                  .allclose(tensors::to_torch(before) + 0.5));
  EXPECT_TRUE(delivered(*method, {"the cat", "a dog"})
                  .allclose(embeddings(*method, {"the cat", "a dog"}), 1e-4, 1e-5));
}

TEST(MultipleNegatives, OtherMethodsLeaveDenseModulesAlone) {
  MethodContext context;
  context.start = model_with_dense();
  TunedEncoderOptions kept, trained;
  trained.dense = DenseModules::kTrain;
  EXPECT_EQ(TunedEncoder(context, trained).parameters().size(),
            TunedEncoder(context, kept).parameters().size() + 2);
}

TEST(MultipleNegatives, EverySwitchChangesTheLoss) {
  data::Batch triplets = some_pairs();
  for (data::Example& example : triplets.examples) example.negatives = {example.b + " closed"};
  const auto loss = [&](const std::string& more) {
    return loss_of("mnrl", R"({"mnrl.dropout": false)" + more + "}", triplets);
  };
  const double plain = loss("");
  for (const char* key :
       {R"(, "mnrl.directions": ["query_to_doc", "query_to_query"])",
        R"(, "mnrl.directions": ["query_to_doc", "doc_to_doc"])",
        R"(, "mnrl.directions": ["query_to_doc", "doc_to_query"])",
        R"(, "mnrl.hardness": "hard_negatives")", R"(, "mnrl.hardness": "in_batch_negatives")",
        R"(, "mnrl.scale": 5)", R"(, "mnrl.symmetric": true)",
        R"(, "mnrl.hard_negative_weight": 4)", R"(, "mnrl.anchor_prompt": "the old ")",
        R"(, "mnrl.candidate_prompt": "a new ")", R"(, "mnrl.pooling": "cls")"}) {
    EXPECT_GT(std::fabs(loss(key) - plain), 1e-4) << key;
  }
  EXPECT_DOUBLE_EQ(
      loss(
          R"(, "mnrl.directions": ["query_to_doc", "doc_to_query"], "mnrl.partition": "per_direction")"),
      loss(R"(, "mnrl.symmetric": true)"));
  // The tiny model ends in Normalize, so the dot product of its vectors is the cosine.
  EXPECT_DOUBLE_EQ(loss(R"(, "mnrl.similarity": "dot")"), plain);
  EXPECT_GT(plain, loss_of("mnrl", kPlain, some_pairs()));
}

TEST(MultipleNegatives, TheTrainedModelCarriesTheModelsPromptsAndItsOwn) {
  const TemporaryFolder folder;
  const auto start = tiny_model();
  start->set_prompts({{"query", ""}, {"sts", "compare: "}});
  make_method("mnrl", R"({"mnrl.anchor_prompt": "query: ", "mnrl.candidate_prompt": "passage: "})",
              start)
      ->deliver()
      ->save(folder / "model");
  const Json config = read_json_file(folder / "model/config_sentence_transformers.json");
  EXPECT_EQ(config.at("prompts"),
            Json::parse(R"({"document": "passage: ", "query": "query: ", "sts": "compare: "})"));
  EXPECT_TRUE(config.at("default_prompt_name").is_null());
  EXPECT_EQ(make_method("simcse", "{}", start)->deliver()->folder().prompts,
            start->folder().prompts);
}

TEST(MultipleNegatives, MaskTakesRepeatedCandidatesOut) {
  const data::Batch repeated =
      pairs_batch({{"the cat", "a mat"}, {"a dog", "a mat"}, {"birds", "winter"}});
  const char* const mask = R"({"mnrl.dropout": false, "mnrl.false_negatives": "mask"})";
  EXPECT_LT(loss_of("mnrl", mask, repeated), loss_of("mnrl", kPlain, repeated));
  EXPECT_DOUBLE_EQ(loss_of("mnrl", mask, some_pairs()), loss_of("mnrl", kPlain, some_pairs()));
}

std::string with_guide(const std::string& folder, const std::string& more = "") {
  return R"({"mnrl.dropout": false, "mnrl.guide": ")" + fixtures() + "/models/" + folder + "\"" +
         more + "}";
}

TEST(MultipleNegatives, AGuideTakesFalseNegativesOut) {
  const data::Batch batch = pairs_batch({{"the cat", "a cat"},
                                         {"the cat", "a cat on a mat"},
                                         {"two birds fly", "winter"},
                                         {"red green", "blue tree"}});
  const double plain = loss_of("mnrl", kPlain, batch),
               guided = loss_of("mnrl", with_guide("bert_st_old"), batch);
  EXPECT_LT(guided, plain);
  EXPECT_LT(loss_of("mnrl", with_guide("bert_st_old", R"(, "mnrl.guide_margin": 0.3)"), batch),
            guided);
  EXPECT_EQ(loss_of("mnrl", with_guide("bert_st_old", R"(, "mnrl.guide_margin": 2)"), batch), 0)
      << "every other candidate is left out";
  EXPECT_DOUBLE_EQ(loss_of("mnrl", with_guide("bert_st_old", R"(, "mnrl.guide_margin": -2)"),
                           batch),
                   plain);
  EXPECT_NE(
      loss_of("mnrl",
              with_guide("bert_st_old",
                         R"(, "mnrl.guide_margin": 0.3, "mnrl.guide_margin_strategy": "relative")"),
              batch),
      guided);
  EXPECT_TRUE(find_method("mnrl").describe(Config::parse(with_guide("bert_st_old"))).caches);
  EXPECT_FALSE(find_method("mnrl").describe({}).caches);
}

TEST(MultipleNegatives, AGuideThatIsNotThereIsNamed) {
  expect_error(Status::kNotFound, "config key 'mnrl.guide'",
               [&] { make_method("mnrl", with_guide("no_such_model")); });
}

TEST(MultipleNegatives, ARerankerIsNoGuide) {
  expect_error(
      Status::kArgument,
      "is a reranker, which gives scores and no vectors: name the folder of a sentence encoder",
      [] { find_method("mnrl").describe(Config::parse(with_guide("../rerankers/bert"))); });
}

TEST(MultipleNegatives, DegenerateBatches) {
  EXPECT_EQ(loss_of("mnrl", "{}", pairs_batch({{"alone", "and only"}})), 0);
  EXPECT_NEAR(loss_of("mnrl", kPlain, pairs_batch({{"same", "same"}, {"same", "same"}})),
              std::log(2.0), 1e-4);
  EXPECT_TRUE(std::isfinite(loss_of("mnrl", "{}", pairs_batch({{"", ""}, {"a", ""}}))));
}

}  // namespace
}  // namespace contrastive::methods
