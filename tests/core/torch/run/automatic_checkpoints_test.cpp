#include "core/torch/run/automatic_checkpoints.h"

#include <gmock/gmock.h>

#include "core/base/error.h"
#include "core/torch/run/training_run.h"
#include "tests/core/torch/run/dev_pairs.h"
#include "tests/core/torch/run/names_in.h"
#include "tests/core/torch/run/warnings_of.h"
#include "tests/core/torch/run/toy.h"
#include "tests/temporary_folder.h"
#include "tests/expect_error.h"

namespace contrastive::run {
namespace {

using ::testing::HasSubstr;
using ::testing::UnorderedElementsAre;

TEST(TrainerRecords, KeepsTheNewestCheckpointsAndTheBest) {
  const TemporaryFolder folder;
  const std::string kept = folder / "kept";
  const auto trainer = toy_trainer(R"({"save_every": 3, "keep": 2, "eval_every": 4, "dev": ")" +
                                   dev_pairs(folder) + R"(", "checkpoints": ")" + kept + "\"}");
  finish(*trainer);
  EXPECT_THAT(names_in(kept), UnorderedElementsAre("best", "step-0000000018", "step-0000000020"));
  EXPECT_EQ(model::SentenceEncoder::load(kept + "/best")->fingerprint(),
            trainer->trained(true)->fingerprint());
  // A killed run resumes from the newest one.
  const auto resumed = TrainingRun::resume(kept + "/step-0000000018", tiny_model(), toy_pairs(50),
                                           Config::parse(R"({"keep": 1, "data_threads": 0})"));
  finish(*resumed);
  EXPECT_EQ(resumed->trained(false)->fingerprint(), trainer->trained(false)->fingerprint());
  EXPECT_THAT(names_in(kept), UnorderedElementsAre("best", "step-0000000020"));
}

TEST(TrainerRecords, ANewRunRefusesTheCheckpointsOfAnother) {
  const TemporaryFolder folder;
  const std::string kept = R"("checkpoints": ")" + folder / "kept" + "\"}";
  finish(*toy_trainer(R"({"save_every": 10, )" + kept));
  const auto before = names_in(folder / "kept");
  const auto refused = [&](const std::function<void()>& make) {
    const std::string message =
        expect_error(Status::kArgument, "config key 'checkpoints'", [&] { make(); });
    EXPECT_THAT(message, HasSubstr("step-0000000020"));
  };
  refused([&] { toy_trainer(R"({"seed": 2, "save_every": 5, )" + kept); });
  EXPECT_EQ(names_in(folder / "kept"), before);
  // A run that is resumed from elsewhere must not write there either; one that started there
  // continues.
  const auto other = toy_trainer(R"({"seed": 2, "checkpoints": ")" + folder / "others" + "\"}");
  other->step();
  other->save(folder / "run");
  refused([&] {
    TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), Config::parse("{" + kept));
  });
  EXPECT_EQ(TrainingRun::resume(folder / "run", tiny_model(), toy_pairs(50), {})->metric("step"),
            1);
}

TEST(TrainerRecords, ARunThatGoesBackGivesItsFutureUp) {
  const TemporaryFolder folder;
  const std::string kept = folder / "kept";
  finish(*toy_trainer(R"({"save_every": 4, "keep": 0, "eval_every": 1, "dev": ")" +
                      dev_pairs(folder) + R"(", "checkpoints": ")" + kept + "\"}"));
  ASSERT_THAT(names_in(kept), ::testing::IsSupersetOf({"best", "step-0000000004", "step-0000000016",
                                                       "step-0000000020"}));
  const auto resumed =
      TrainingRun::resume(kept + "/step-0000000004", tiny_model(), toy_pairs(50),
                          Config::parse(R"({"save_every": 3, "keep": 2, "eval_every": 100})"));
  for (int i = 0; i < 2; ++i) resumed->step();
  EXPECT_THAT(names_in(kept), UnorderedElementsAre("best", "step-0000000004", "step-0000000006"));
  EXPECT_EQ(model::SentenceEncoder::load(kept + "/best")->fingerprint(),
            resumed->trained(true)->fingerprint())
      << "not that of the discarded updates";
  EXPECT_EQ(TrainingRun::resume(kept, tiny_model(), toy_pairs(50), {})->metric("step"), 6);
}

TEST(TrainerRecords, ACheckpointThatFailsDoesNotEndTheRun) {
  const TemporaryFolder folder;
  const auto trainer = toy_trainer(R"({"save_every": 10, "max_steps": 20, "checkpoints": ")" +
                                   folder / "kept" + "\"}");
  folder.write("kept/step-0000000010", "in the way");
  const auto warnings = warnings_of([&] { finish(*trainer); });
  EXPECT_EQ(trainer->metric("failed_saves"), 1);
  ASSERT_FALSE(warnings.empty());
  EXPECT_THAT(warnings[0], HasSubstr("step-0000000010"));
  EXPECT_TRUE(std::filesystem::exists(folder / "kept/step-0000000020/training_state"));
}

TEST(TrainerRecords, AFolderOfCheckpointsGoesOnFromTheNewest) {
  const TemporaryFolder folder;
  const auto trainer =
      toy_trainer(R"({"save_every": 3, "keep": 2, "checkpoints": ")" + folder / "kept" + "\"}");
  for (int i = 0; i < 7; ++i) trainer->step();
  const auto resumed = TrainingRun::resume(folder / "kept", tiny_model(), toy_pairs(50),
                                           Config::parse(R"({"max_steps": 21})"));
  EXPECT_EQ(resumed->metric("step"), 6);
}

}  // namespace
}  // namespace contrastive::run
