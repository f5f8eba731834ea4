#include "core/mining/reranker_guide.h"

#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
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
  EXPECT_EQ(error_of([&] { guide.score(queries, documents, {{0, {0}, first}}, &cancel); }).status(),
            Status::kCancelled);
}

TEST(RerankerGuide, RefusesWhatItCannotUse) {
  EXPECT_EQ(error_of([] { RerankerGuide(reranker("bert_labels"), {}); }).status(),
            Status::kArgument);
  MiningOptions options;
  options.guide_document_prompt = "passage: ";
  EXPECT_EQ(error_of([&] { RerankerGuide(reranker("bert"), options); }).status(),
            Status::kArgument);
}

}  // namespace
}  // namespace contrastive::mining
