#include "core/torch/dist/seat.h"

#include <map>

#include "tests/core/torch/dist/ranks.h"
#include "tests/expect_error.h"

namespace contrastive::dist {
namespace {

using Variables = std::map<std::string, std::string>;

Seat seat_of(const Variables& variables, Options options = {}) {
  if (options.mode == Mode::kOff) options.mode = Mode::kEnv;
  return find_seat(options, [&](const char* name) -> const char* {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
}

TEST(Seat, Torchrun) {
  const Seat seat = seat_of({{"RANK", "3"},
                             {"WORLD_SIZE", "8"},
                             {"LOCAL_RANK", "1"},
                             {"MASTER_ADDR", "10.0.0.7"},
                             {"MASTER_PORT", "1234"}});
  EXPECT_EQ(seat.rank, 3);
  EXPECT_EQ(seat.size, 8);
  EXPECT_EQ(seat.store.text(), "tcp://10.0.0.7:1234");
  EXPECT_FALSE(seat.store.served_elsewhere);
  EXPECT_EQ(seat.launcher, "torchrun");
}

TEST(Seat, TorchrunThatKeepsTheStoreItself) {
  const Seat seat = seat_of({{"RANK", "0"},
                             {"WORLD_SIZE", "2"},
                             {"MASTER_ADDR", "host"},
                             {"TORCHELASTIC_USE_AGENT_STORE", "True"},
                             {"TORCHELASTIC_RESTART_COUNT", "2"}});
  EXPECT_TRUE(seat.store.served_elsewhere);
  EXPECT_EQ(seat.store.prefix, "contrastive-2");
  EXPECT_EQ(seat.store.port, 29500);
}

TEST(Seat, Mpirun) {
  const Variables local = {{"OMPI_COMM_WORLD_RANK", "1"},
                           {"OMPI_COMM_WORLD_SIZE", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"}};
  EXPECT_EQ(seat_of(local).store.text(), "tcp://127.0.0.1:29500");
  Variables spread = local;
  spread["OMPI_COMM_WORLD_LOCAL_SIZE"] = "1";
  expect_error(Status::kArgument, "MASTER_ADDR", [&] { seat_of(spread); });
  spread["MASTER_ADDR"] = "head";
  EXPECT_EQ(seat_of(spread).store.host, "head");
}

TEST(Seat, ALauncherThatSaysAllGoesBeforeOneThatDoesNot) {
  Variables variables = {{"RANK", "9"},
                         {"OMPI_COMM_WORLD_RANK", "1"},
                         {"OMPI_COMM_WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "head"}};
  EXPECT_EQ(seat_of(variables).rank, 1);
  variables.erase("OMPI_COMM_WORLD_SIZE");
  expect_error(Status::kArgument, "RANK is set, but WORLD_SIZE is not",
               [&] { seat_of(variables); });
}

TEST(Seat, Srun) {
  const Seat seat = seat_of(
      {{"SLURM_PROCID", "2"}, {"SLURM_NTASKS", "4"}, {"SLURM_STEP_NODELIST", "gpu[07-08,11]"}});
  EXPECT_EQ(seat.rank, 2);
  EXPECT_EQ(seat.store.text(), "tcp://gpu07:29500");
}

TEST(Seat, KubernetesIndexedJob) {
  const Variables job = {{"JOB_COMPLETION_INDEX", "1"},
                         {"WORLD_SIZE", "2"},
                         {"MASTER_ADDR", "train-0.train"}};
  EXPECT_EQ(seat_of(job).rank, 1);
  EXPECT_EQ(seat_of(job).launcher, "a Kubernetes Indexed Job");
  Options options;
  options.world_size = 3;
  options.store = "tcp://other:5";
  const Seat seat = seat_of({{"JOB_COMPLETION_INDEX", "2"}}, options);
  EXPECT_EQ(seat.size, 3);
  EXPECT_EQ(seat.store.text(), "tcp://other:5");
}

TEST(Seat, FirstHostOfAList) {
  EXPECT_EQ(first_host("one"), "one");
  EXPECT_EQ(first_host("one,two"), "one");
  EXPECT_EQ(first_host("n[3-5]"), "n3");
  EXPECT_EQ(first_host("n[3,5],m"), "n3");
  EXPECT_EQ(first_host("a,n[3,5]"), "a");
}

TEST(Seat, WhatIsWrongIsNamed) {
  expect_error(Status::kArgument, "no launcher has set its variables", [&] { seat_of({}); });
  expect_error(Status::kArgument, "WORLD_SIZE is not", [&] { seat_of({{"RANK", "0"}}); });
  expect_error(Status::kArgument, "RANK is 'x', not a number",
               [&] { seat_of({{"RANK", "x"}, {"WORLD_SIZE", "2"}}); });
  expect_error(Status::kArgument, "RANK is '-1'",
               [&] { seat_of({{"RANK", "-1"}, {"WORLD_SIZE", "2"}}); });
  expect_error(Status::kArgument, "WORLD_SIZE is '0'",
               [&] { seat_of({{"RANK", "0"}, {"WORLD_SIZE", "0"}}); });
  expect_error(Status::kArgument, "this is rank 2 (RANK) of 2 ranks",
               [&] { seat_of({{"RANK", "2"}, {"WORLD_SIZE", "2"}}); });
  expect_error(Status::kArgument, "MASTER_ADDR",
               [&] { seat_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}}); });
  expect_error(Status::kArgument, "MASTER_PORT is '99999'", [&] {
    seat_of({{"RANK", "0"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "h"}, {"MASTER_PORT", "99999"}});
  });
}

}  // namespace
}  // namespace contrastive::dist
