#include "core/torch/run/ranks.h"

#include <gmock/gmock.h>

#include <cmath>

#include "tests/core/torch/dist/ranks.h"
#include "tests/core/torch/run/toy.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The errors of ranks that create their trainers with these configs and data.
std::vector<std::string> errors_of(const std::vector<std::string>& configs,
                                   const std::vector<std::shared_ptr<data::Dataset>>& data) {
  return dist::run_ranks(static_cast<int>(configs.size()), [&](dist::World& world) {
    const auto rank = static_cast<size_t>(world.rank());
    const std::shared_ptr<dist::World> borrowed(std::shared_ptr<dist::World>(), &world);
    TrainingRun trainer(tiny_model(), data[rank], toy_config(configs[rank]), borrowed);
    EXPECT_EQ(trainer.step(), Status::kOk);
  });
}

TEST(Ranks, AnEnvironmentAloneMakesNone) {
  ::setenv("RANK", "1", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  const auto trainer = make_trainer(tiny_model(), toy_pairs(20), toy_config());
  EXPECT_EQ(trainer->step(), Status::kOk);
  EXPECT_TRUE(std::isnan(trainer->metric("rank")));
  ::unsetenv("RANK");
  ::unsetenv("WORLD_SIZE");
}

TEST(Ranks, WhatIsWrongWithTheirKeysIsSaid) {
  expect_error(Status::kArgument, "dist.mod",
               [&] { check_rank_keys(Config::parse(R"({"dist.mod": "env"})")); });
  expect_error(Status::kArgument, "all stages have the same ranks",
               [&] { check_rank_keys(Config::parse(R"({"stage2.dist.mode": "env"})")); });
  expect_error(Status::kArgument, "no launcher",
               [&] { check_rank_keys(Config::parse(R"({"dist.mode": "env"})")); });
  EXPECT_NO_THROW(
      check_rank_keys(Config::parse(R"({"dist.mode": "threads", "dist.devices": ["cpu"]})")));
}

TEST(Ranks, OneRunIsOnOneStep) {
  dist::expect_no_errors(errors_of({"{}", R"({"cache": "", "data_threads": 0, "x-name": 1})"},
                                   {toy_pairs(20), toy_pairs(20)}));
}

TEST(Ranks, OneProcessMayBeSeveralThatTrainTwiceBesideOneStore) {
  const TemporaryFolder folder;
  const auto data = toy_pairs(20);
  Config keys = toy_config(R"({"dist": {"mode": "keys", "world_size": 2, "timeout": 60}})");
  keys.set("dist.store", "file://" + (folder / "store"));
  dist::expect_no_errors(dist::run_threads(2, [&](int rank) {
    Config own = keys;
    own.set_json("dist.rank", rank);
    for (int run = 0; run < 2; ++run) {
      const auto trainer = make_trainer(tiny_model(), data, own);
      EXPECT_EQ(trainer->step(), Status::kOk);
      EXPECT_EQ(trainer->metric("rank"), rank);
    }
  }));
}

TEST(Ranks, AnotherConfigIsNamedOnEveryRank) {
  const auto data = toy_pairs(20);
  for (const std::string& error :
       errors_of({"{}", "{}", R"({"weight_decay": 0.5})"}, {data, data, data})) {
    EXPECT_THAT(error, HasSubstr("config key 'weight_decay' is 0.01 on rank 0 and 0.5 on rank 2"));
  }
}

TEST(Ranks, OtherDataAreNamedOnEveryRank) {
  for (const std::string& error : errors_of({"{}", "{}"}, {toy_pairs(20), toy_pairs(21)})) {
    EXPECT_THAT(error, AllOf(HasSubstr("the data's fingerprint"), HasSubstr("on rank 1")));
  }
}

TEST(Ranks, ARankThatCannotBeginIsTheReasonOnAll) {
  const auto data = toy_pairs(20);
  const auto errors = dist::run_ranks(2, [&](dist::World& world) {
    const std::shared_ptr<dist::World> borrowed(std::shared_ptr<dist::World>(), &world);
    const bool second = world.rank() == 1;
    try {
      TrainingRun(tiny_model(), data, toy_config(second ? R"({"dev": "/no/such/file"})" : "{}"),
                  borrowed);
    } catch (const Error& error) {
      fail(Status::kDistributed, error.message());
    }
  });
  EXPECT_THAT(errors[0], AllOf(HasSubstr("rank 1 failed"), HasSubstr("/no/such/file")));
  EXPECT_THAT(errors[1], HasSubstr("/no/such/file"));
}

TEST(Ranks, AnotherBatchIsNamed) {
  const auto data = toy_pairs(20);
  const auto errors = dist::run_ranks(2, [&](dist::World& world) {
    const std::shared_ptr<dist::World> borrowed(std::shared_ptr<dist::World>(), &world);
    TrainingRun trainer(tiny_model(), data, toy_config(), borrowed);
    EXPECT_EQ(trainer.step_batch({data->get(0), data->get(1), data->get(2)}), Status::kOk);
    trainer.step_batch({data->get(0), data->get(3 + world.rank())});
  });
  for (const std::string& error : errors) EXPECT_THAT(error, HasSubstr("not at the same place"));
}

}  // namespace
}  // namespace contrastive::run
