#include "core/torch/run/update_warnings.h"

#include <gmock/gmock.h>

#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/warnings_of.h"
#include "tests/core/torch/run/toy.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;

TEST(TrainerRecords, ASingleExampleIsWarnedOfByItsCause) {
  const auto warnings = [](const std::string& json, int64_t pairs) {
    return warnings_of([&] {
      const auto trainer = toy_trainer(json, pairs);
      trainer->step();
      EXPECT_EQ(trainer->metric("loss") == 0,
                pairs == 1 || json.find("few_shot") != std::string::npos);
    });
  };
  const auto one = warnings(R"({"last_batch": "drop"})", 1);
  ASSERT_EQ(one.size(), 1u);
  EXPECT_THAT(one[0], HasSubstr("trains on one example"));
  EXPECT_THAT(one[0], ::testing::Not(HasSubstr("last_batch")));
  const auto few = warnings(R"({"few_shot": 1})", 9);
  ASSERT_EQ(few.size(), 1u);
  EXPECT_THAT(few[0], HasSubstr("few_shot = 1"));
  const auto part = warnings(R"({"last_batch": "keep", "accumulate": 2, "batch_size": 8})", 9);
  ASSERT_EQ(part.size(), 1u) << "a part of an update by itself";
  EXPECT_THAT(part[0], HasSubstr("last_batch = drop"));
  EXPECT_TRUE(
      warnings(R"({"last_batch": "keep", "accumulate": 2, "batch_size": 8, "negatives": "global"})",
               9)
          .empty());
}

}  // namespace
}  // namespace contrastive::run
