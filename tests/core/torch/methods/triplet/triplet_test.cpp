#include "core/torch/methods/triplet/triplet.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/abs.h>

#include <cmath>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::methods {
namespace {

const char* const kStill = R"({"triplet.dropout": false})";

data::Batch some_triplets() {
  data::Batch batch = some_pairs();
  for (data::Example& example : batch.examples) example.negatives = {example.b + " closed"};
  return batch;
}

TEST(Triplet, RefusesWhatItCannotTrainOn) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"triplet.margin": 0})", "triplet.margin"},
           {R"({"triplet.distance": "dot"})", "triplet.distance"}}) {
    expect_error(Status::kArgument, part,
                 [&, text = json] { find_method("triplet").describe(Config::parse(text)); });
  }
  const auto data = data::make_dataset();
  for (const data::Example& example : some_pairs().examples) data->add(example);
  const auto method = make_method("triplet");
  expect_error(Status::kArgument,
               "none of the first 4 examples has one: name their columns in data.negatives",
               [&] { method->prepare(data.get(), nullptr); });
  data->add(some_triplets().examples[0]);
  EXPECT_NO_THROW(method->prepare(data.get(), nullptr));
  expect_error(Status::kArgument, "has one text only", [&] { loss_of(*method, some_texts()); });
}

TEST(Triplet, EverySwitchChangesTheLoss) {
  const auto loss = [&](const std::string& more) {
    return loss_of("triplet", R"({"triplet.dropout": false)" + more + "}", some_triplets());
  };
  const double plain = loss("");
  for (const char* key :
       {R"(, "triplet.distance": "cosine")", R"(, "triplet.distance": "manhattan")",
        R"(, "triplet.margin": 1)", R"(, "triplet.anchor_prompt": "the old ")",
        R"(, "triplet.candidate_prompt": "a new ")", R"(, "triplet.pooling": "cls")"}) {
    EXPECT_GT(std::fabs(loss(key) - plain), 1e-4) << key;
  }
}

// The loss compares the vectors that the saved model gives.
TEST(Triplet, ANormalizeModuleTakesPart) {
  const auto bare = tiny_model();
  io::ModelFolder folder = io::read_model_folder(fixtures() + "/models/bert_st");
  ASSERT_TRUE(folder.normalize);
  folder.normalize = false;
  const auto plain = std::make_shared<model::SentenceEncoder>(std::move(folder), on_test_device());
  const data::Batch batch = some_triplets();
  EXPECT_GT(std::fabs(loss_of(*make_method("triplet", kStill, plain), batch) -
                      loss_of(*make_method("triplet", kStill, bare), batch)),
            1e-3);
  const char* const cosine = R"({"triplet.dropout": false, "triplet.distance": "cosine"})";
  EXPECT_NEAR(loss_of(*make_method("triplet", cosine, plain), batch),
              loss_of(*make_method("triplet", cosine, bare), batch), 1e-5);
}

TEST(Triplet, ExamplesWithoutANegativeHaveNoPart) {
  data::Batch batch = some_triplets();
  const double all = loss_of("triplet", kStill, batch);
  batch.examples[1].negatives.clear();
  EXPECT_NE(loss_of("triplet", kStill, batch), all);
  for (data::Example& example : batch.examples) example.negatives.clear();
  const auto method = make_method("triplet", kStill);
  const LossTerms terms = loss_terms(*method, batch);
  EXPECT_EQ(terms.total().item<double>(), 0);
  terms.total().backward();
  for (const Parameter& p : method->parameters()) {
    if (!p.tensor.grad().defined()) continue;
    EXPECT_EQ(p.tensor.grad().abs().max().item<double>(), 0) << p.name;
  }
}

}  // namespace
}  // namespace contrastive::methods
