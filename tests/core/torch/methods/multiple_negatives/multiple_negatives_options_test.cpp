#include <ATen/TensorOperators.h>

#include "core/torch/methods/multiple_negatives/multiple_negatives.h"
#include "tests/core/torch/methods/method_tests.h"
#include "tests/expect_error.h"

namespace contrastive::methods {
namespace {

TEST(MultipleNegatives, RefusesWhatItCannotTrainOn) {
  for (
      const auto& [json, part] : std::vector<std::pair<std::string, std::string>>{
          {R"({"mnrl.scale": 0})", "mnrl.scale"},
          {R"({"mnrl.similarity": "euclidean"})", "mnrl.similarity"},
          {R"({"mnrl.hard_negative_weight": -1})", "mnrl.hard_negative_weight"},
          {R"({"mnrl.directions": ["query_to_doc", "doc_to_dog"]})", "did you mean 'doc_to_doc'"},
          {R"({"mnrl.directions": ["doc_to_query"]})", "must name query_to_doc"},
          {R"({"mnrl.directions": ["query_to_doc", "query_to_doc"]})", "occurs twice"},
          {R"({"mnrl.directions": ["query_to_doc", "doc_to_doc"], "mnrl.partition": "per_direction"})",
           "take joint"},
          {R"({"mnrl.symmetric": true, "mnrl.partition": "per_direction"})",
           "mnrl.symmetric stands for"},
          {R"({"mnrl.hardness_strength": 2})", "mnrl.hardness is none"},
          {R"({"mnrl.guide_margin": 0.1})", "it goes with mnrl.guide only"}}) {
    expect_error(Status::kArgument, part,
                 [&] { find_method("mnrl").describe(Config::parse(json)); });
  }
  EXPECT_TRUE(find_method("mnrl").describe({}).needs_pairs);
  expect_error(Status::kArgument, "example 0 has one text only",
               [] { loss_of("mnrl", "{}", some_texts()); });
  expect_error(Status::kArgument, "config key 'mnrl.max_length' is 1000",
               [] { make_method("mnrl", R"({"mnrl.max_length": 1000})"); });
}

}  // namespace
}  // namespace contrastive::methods
