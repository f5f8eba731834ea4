// The position of a run among its stages. stages_test.cpp tests that a run is resumed in the middle
// of a stage.
#include "core/torch/run/stage_position.h"

#include <gmock/gmock.h>

#include "tests/core/torch/run/toy.h"

namespace contrastive::run {
namespace {

TEST(StagePosition, ARunWithoutStagesIsAtItsOnlyOne) {
  StagePosition position;
  position.begin_with(*tiny_model());
  EXPECT_FALSE(position.staged());
  EXPECT_TRUE(position.last());
  EXPECT_EQ(position.place(), "");
  EXPECT_EQ(position.checkpoints_in("kept"), "kept");
  TrainingState state;
  position.save(state, *tiny_model());
  EXPECT_TRUE(state.fields.empty()) << "its state has no field for stages";
  EXPECT_FALSE(StagePosition::restored(state, {}, nullptr).staged());
}

TEST(StagePosition, StagesFollowEachOther) {
  StagePlan plan;
  plan.stages = {Config::parse(R"({"lr": 1})"), Config::parse(R"({"lr": 2})")};
  const StagePosition first(plan), second = first.next();
  EXPECT_FALSE(first.last());
  EXPECT_TRUE(second.last());
  EXPECT_EQ(second.index(), 1u);
  EXPECT_EQ(*second.config().find("lr"), 2);
  EXPECT_EQ(second.place(), " of stage 2");
  EXPECT_EQ(second.checkpoints_in("kept"), "kept/stage2");
  Records records{MetricsFiles("", "", {})};
  second.report(records);
  EXPECT_EQ(records.value("stage"), 2);
}

}  // namespace
}  // namespace contrastive::run
