#include "core/torch/methods/scored/scored.h"

#include <cmath>
#include <limits>

#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

data::Batch scored_pairs(const std::vector<double>& scores) {
  data::Batch batch = some_pairs();
  for (size_t i = 0; i < scores.size(); ++i) batch.examples[i].label = scores[i];
  return batch;
}

TEST(Scored, RefusesKeysThatDoNotGoTogether) {
  for (const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
           {R"({"scored.loss": "cosine"})", "scored.loss"},
           {R"({"scored.scale": 0})", "scored.scale"},
           {R"({"scored.loss": "mse", "scored.scale": 3})", "scored.loss = cosent"},
           {R"({"scored.max_score": 5})", "scored.loss = mse"}}) {
    expect_error(Status::kArgument, part,
                 [&, text = json] { find_method("scored").describe(Config::parse(text)); });
  }
  const MethodTraits traits = find_method("scored").describe({});
  EXPECT_TRUE(traits.needs_pairs && traits.needs_labels && traits.in_batch_negatives &&
              !traits.hard_negatives);
  EXPECT_FALSE(find_method("scored")
                   .describe(Config::parse(R"({"scored.loss": "mse"})"))
                   .in_batch_negatives);
}

TEST(Scored, ABadScoreIsNamedBeforeTheFirstUpdate) {
  const auto data = data::make_dataset();
  for (const data::Example& example : scored_pairs({0, 0.5, 5, 1}).examples) data->add(example);
  const auto cosent = make_method("scored"),
             mse = make_method("scored", R"({"scored.loss": "mse"})"),
             fits = make_method("scored", R"({"scored.loss": "mse", "scored.max_score": 5})");
  EXPECT_NO_THROW(cosent->prepare(data.get(), nullptr));
  EXPECT_NO_THROW(fits->prepare(data.get(), nullptr));
  EXPECT_NO_THROW(mse->prepare(nullptr, nullptr));
  expect_error(Status::kArgument,
               "example 2: the score is 5, but scored.loss = mse compares scores with cosines",
               [&] { mse->prepare(data.get(), nullptr); });
  expect_error(Status::kArgument, "set scored.max_score",
               [&] { loss_of(*mse, scored_pairs({0, 0.5, 5, 1})); });
  expect_error(Status::kArgument, "example 3: no score",
               [&] { loss_of(*cosent, scored_pairs({0, 1, 2})); });
  expect_error(Status::kArgument, "example 0: the score is inf", [&] {
    loss_of(*cosent, scored_pairs({std::numeric_limits<double>::infinity(), 0, 1, 2}));
  });
  expect_error(Status::kArgument, "has one text only", [&] { loss_of(*cosent, some_texts()); });
}

TEST(Scored, EverySwitchChangesTheLoss) {
  const data::Batch batch = scored_pairs({0, 1, 0.5, -1});
  const auto loss = [&](const std::string& more) {
    return loss_of("scored", R"({"scored.dropout": false)" + more + "}", batch);
  };
  const double plain = loss("");
  for (const char* key :
       {R"(, "scored.scale": 5)", R"(, "scored.loss": "angle")", R"(, "scored.loss": "mse")",
        R"(, "scored.anchor_prompt": "the old ")", R"(, "scored.candidate_prompt": "a new ")",
        R"(, "scored.pooling": "cls")"}) {
    EXPECT_GT(std::fabs(loss(key) - plain), 1e-4) << key;
  }
  EXPECT_NE(loss(R"(, "scored.loss": "mse")"),
            loss(R"(, "scored.loss": "mse", "scored.max_score": 2)"));
}

TEST(Scored, HardNegativesHaveNoPart) {
  const data::Batch batch = scored_pairs({0, 1, 0.5, -1});
  data::Batch more = batch;
  for (data::Example& example : more.examples) example.negatives = {"winter", "two birds"};
  EXPECT_EQ(loss_of("scored", "{}", more), loss_of("scored", "{}", batch));
  const auto method = make_method("scored");
  EXPECT_FALSE(method->views(more).has("negative"));
}

TEST(Scored, OnePairTeachesAnOrderNothing) {
  data::Batch one = pairs_batch({{"alone", "and only"}});
  one.examples[0].label = 0.25;
  EXPECT_EQ(loss_of("scored", "{}", one), 0);
  EXPECT_GT(loss_of("scored", R"({"scored.loss": "mse"})", one), 0);
}

}  // namespace
}  // namespace contrastive::methods
