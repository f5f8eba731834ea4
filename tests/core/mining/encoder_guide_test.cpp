#include "core/mining/encoder_guide.h"

#include <gtest/gtest.h>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

TEST(EncoderGuide, ScoresWithItsOwnVectorsAndEmbedsEachTextOnce) {
  const TemporaryFolder folder;
  TableEncoder model{{{"q", {1, 0}},
                      {"r", {0, 2}},
                      {"a", {3, 0}},
                      {"b", {1, 1}},
                      {"c", {-1, 0}},
                      {"unasked", {1, 2}}}};
  const std::vector<std::string> names = {"a", "b", "c", "unasked"}, asking = {"q", "r"};
  TextTable queries([&](int64_t place) { return asking[static_cast<size_t>(place)]; }),
      documents([&](int64_t i) { return names[static_cast<size_t>(i)]; });
  for (int64_t i = 0; i < 2; ++i) queries.add(asking[static_cast<size_t>(i)], i);
  for (int64_t i = 0; i < 4; ++i) documents.add(names[static_cast<size_t>(i)], i);
  EncoderGuide guide(model.encoder(), retrieval::Metric::kCosine, folder.path());
  float first[3], second[2];
  guide.score(queries, documents, {{0, {2, 0, 1}, first}, {1, {1, 0}, second}}, nullptr);
  EXPECT_FLOAT_EQ(first[0], -1);
  EXPECT_FLOAT_EQ(first[1], 1);
  EXPECT_NEAR(first[2], 0.7071068, 1e-6);
  EXPECT_NEAR(second[0], 0.7071068, 1e-6);
  EXPECT_NEAR(second[1], 0, 1e-7);
  EXPECT_EQ(model.embedded, 5);
  guide.score(queries, documents, {{0, {0}, first}}, nullptr);
  EXPECT_FLOAT_EQ(first[0], 1);
  EXPECT_EQ(model.embedded, 5);
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { guide.score(queries, documents, {{0, {0}, first}}, &cancel); });
}

}  // namespace
}  // namespace contrastive::mining
