#include "core/torch/dist/dist_options.h"

#include "tests/core/torch/dist/ranks.h"
#include "tests/expect_error.h"

namespace contrastive::dist {
namespace {

using ::testing::HasSubstr;

TEST(DistOptions, WithoutKeysARunIsOneProcess) {
  ::setenv("RANK", "1", 1);
  ::setenv("WORLD_SIZE", "2", 1);
  EXPECT_EQ(read_options(Config()).mode, Mode::kOff)
      << "the environment alone does not make a rank";
  ::unsetenv("RANK");
  ::unsetenv("WORLD_SIZE");
}

TEST(DistOptions, EachModeTakesItsKeys) {
  EXPECT_EQ(read_options(
                Config::parse(R"({"dist.mode": "env", "dist.timeout": 5, "dist.interface": "lo"})"))
                .timeout,
            5);
  const Options keys = read_options(Config::parse(
      R"({"dist": {"mode": "keys", "rank": 1, "world_size": 2, "store": "file:///tmp/x"}})"));
  EXPECT_EQ(keys.rank, 1);
  const Options threads =
      read_options(Config::parse(R"({"dist.mode": "threads", "dist.devices": ["cpu", "cuda:1"]})"));
  EXPECT_EQ(threads.devices, (std::vector<std::string>{"cpu", "cuda:1"}));
}

TEST(DistOptions, WhatAModeDoesNotReadIsRefused) {
  expect_error(Status::kArgument, "dist.mode is off",
               [&] { read_options(Config::parse(R"({"dist.rank": 1})")); });
  expect_error(Status::kArgument, "dist.store", [&] {
    read_options(Config::parse(
        R"({"dist.mode": "threads", "dist.devices": ["cpu"], "dist.store": "file:///x"})"));
  });
  expect_error(Status::kArgument, "dist.devices", [&] {
    read_options(Config::parse(R"({"dist.mode": "env", "dist.devices": ["cpu"]})"));
  });
}

TEST(DistOptions, WhatAModeNeedsIsAskedFor) {
  expect_error(Status::kArgument, "'dist.rank' is needed", [&] {
    read_options(
        Config::parse(R"({"dist.mode": "keys", "dist.world_size": 2, "dist.store": "file:///x"})"));
  });
  expect_error(Status::kArgument, "'dist.world_size' is needed", [&] {
    read_options(
        Config::parse(R"({"dist.mode": "keys", "dist.rank": 0, "dist.store": "file:///x"})"));
  });
  expect_error(Status::kArgument, "'dist.store' is needed", [&] {
    read_options(Config::parse(R"({"dist.mode": "keys", "dist.rank": 0, "dist.world_size": 2})"));
  });
  expect_error(Status::kArgument, "ranks count from 0", [&] {
    read_options(Config::parse(
        R"({"dist.mode": "keys", "dist.rank": 2, "dist.world_size": 2, "dist.store": "file:///x"})"));
  });
  expect_error(Status::kArgument, "'dist.devices' is needed",
               [&] { read_options(Config::parse(R"({"dist.mode": "threads"})")); });
  expect_error(Status::kArgument, "gpu", [&] {
    read_options(Config::parse(R"({"dist.mode": "threads", "dist.devices": ["gpu"]})"));
  });
  expect_error(Status::kArgument, "dist.timeout",
               [&] { read_options(Config::parse(R"({"dist.mode": "env", "dist.timeout": 0})")); });
  expect_error(Status::kArgument, "tcp://HOST:PORT", [&] {
    read_options(Config::parse(
        R"({"dist.mode": "keys", "dist.rank": 0, "dist.world_size": 2, "dist.store": "redis://x"})"));
  });
}

TEST(DistOptions, TheRestOfAConfigHasNoneOfThem) {
  const Config rest =
      without_options(Config::parse(R"({"dist.mode": "env", "dist.timeout": 5, "lr": 1})"));
  EXPECT_EQ(rest.keys(), std::vector<std::string>{"lr"});
}

TEST(DistOptions, EveryKeyIsDescribed) {
  for (const Json& row : describe_options())
    EXPECT_THAT(row.at("key").get<std::string>(), HasSubstr("dist."));
  EXPECT_EQ(describe_options().size(), 7u);
}

}  // namespace
}  // namespace contrastive::dist
