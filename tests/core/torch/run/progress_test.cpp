#include "core/torch/run/progress.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

TEST(Progress, ComesBackFromASavedRun) {
  TrainingState state;
  Progress{7, 2, 5, true, true}.save(state);
  Progress again;
  again.restore(state);
  EXPECT_EQ(again.step, 7);
  EXPECT_EQ(again.skipped, 2);
  EXPECT_EQ(again.truncated, 5);
  EXPECT_TRUE(again.prepared);
  EXPECT_TRUE(again.unsettled);
  state.fields["step"] = -1;
  expect_error(Status::kFormat, "step", [&] { again.restore(state); });
}

TEST(Progress, AnEpochIsAShareOfTheSteps) {
  RunPlan plan;
  plan.steps_per_epoch = 4;
  plan.total_steps = 12;
  Records records{MetricsFiles("", "", {})};
  Progress{6, 0, 0, true, false}.report(plan, records);
  EXPECT_EQ(records.value("step"), 6);
  EXPECT_EQ(records.value("epoch"), 1.5);
  EXPECT_EQ(records.value("total_steps"), 12);
}

}  // namespace
}  // namespace contrastive::run
