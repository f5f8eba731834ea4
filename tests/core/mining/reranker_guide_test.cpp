#include "core/mining/reranker_guide.h"

#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"

namespace contrastive::mining {
namespace {

std::shared_ptr<model::CrossEncoder> reranker(const char* name) {
  return model::CrossEncoder::load(fixtures() + "/rerankers/" + name);
}

TEST(RerankerGuide, GivesTheScoresOfTheReranker) {
  const auto encoder = reranker("bert");
  const std::vector<std::string> asking = {"the cat", "a dog"},
                                 names = {"two birds", "the cat sat", ""};
  TextTable queries([&](int64_t i) { return asking[static_cast<size_t>(i)]; }),
      documents([&](int64_t i) { return names[static_cast<size_t>(i)]; });
  for (int64_t i = 0; i < 2; ++i) queries.add(asking[static_cast<size_t>(i)], i);
  for (int64_t i = 0; i < 3; ++i) documents.add(names[static_cast<size_t>(i)], i);
  RerankerGuide guide(encoder, {});
  float first[2], second[3];
  guide.score(queries, documents, {{1, {1, 0}, first}, {0, {0, 1, 2}, second}}, nullptr);
  std::vector<float> expected(5);
  encoder->score({{asking[1], names[1]},
                  {asking[1], names[0]},
                  {asking[0], names[0]},
                  {asking[0], names[1]},
                  {asking[0], names[2]}},
                 {}, expected.data());
  for (int i = 0; i < 2; ++i) EXPECT_NEAR(first[i], expected[static_cast<size_t>(i)], 1e-6);
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(second[i], expected[static_cast<size_t>(2 + i)], 1e-6);
  MiningOptions options;
  options.guide_query_prompt = "find: ";
  RerankerGuide prompted(encoder, options);
  prompted.score(queries, documents, {{1, {1, 0}, first}}, nullptr);
  EXPECT_NE(first[0], expected[0]);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { guide.score(queries, documents, {{0, {0}, first}}, &cancel); });
}

TEST(RerankerGuide, RefusesWhatItCannotUse) {
  expect_error(Status::kArgument, "mining: the guide is a reranker with 3 labels",
               [] { RerankerGuide(reranker("bert_labels"), {}); });
  MiningOptions options;
  options.guide_document_prompt = "passage: ";
  expect_error(Status::kArgument, "config key 'guide_document_prompt' is set",
               [&] { RerankerGuide(reranker("bert"), options); });
}

}  // namespace
}  // namespace contrastive::mining
