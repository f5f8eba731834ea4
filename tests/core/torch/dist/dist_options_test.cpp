#include "core/torch/dist/dist_options.h"

#include "tests/core/torch/dist/ranks.h"

namespace contrastive::dist {
namespace {

using ::testing::HasSubstr;

std::string refused_options(const std::string& config) {
  return refusal([&] { read_options(Config::parse(config)); }, Status::kArgument);
}

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
  EXPECT_THAT(refused_options(R"({"dist.rank": 1})"), HasSubstr("dist.mode is off"));
  EXPECT_THAT(
      refused_options(
          R"({"dist.mode": "threads", "dist.devices": ["cpu"], "dist.store": "file:///x"})"),
      HasSubstr("dist.store"));
  EXPECT_THAT(refused_options(R"({"dist.mode": "env", "dist.devices": ["cpu"]})"),
              HasSubstr("dist.devices"));
}

TEST(DistOptions, WhatAModeNeedsIsAskedFor) {
  EXPECT_THAT(refused_options(
                  R"({"dist.mode": "keys", "dist.world_size": 2, "dist.store": "file:///x"})"),
              HasSubstr("'dist.rank' is needed"));
  EXPECT_THAT(refused_options(
                  R"({"dist.mode": "keys", "dist.rank": 0, "dist.store": "file:///x"})"),
              HasSubstr("'dist.world_size' is needed"));
  EXPECT_THAT(refused_options(R"({"dist.mode": "keys", "dist.rank": 0, "dist.world_size": 2})"),
              HasSubstr("'dist.store' is needed"));
  EXPECT_THAT(
      refused_options(
          R"({"dist.mode": "keys", "dist.rank": 2, "dist.world_size": 2, "dist.store": "file:///x"})"),
      HasSubstr("ranks count from 0"));
  EXPECT_THAT(refused_options(R"({"dist.mode": "threads"})"),
              HasSubstr("'dist.devices' is needed"));
  EXPECT_THAT(refused_options(R"({"dist.mode": "threads", "dist.devices": ["gpu"]})"),
              HasSubstr("gpu"));
  EXPECT_THAT(refused_options(R"({"dist.mode": "env", "dist.timeout": 0})"),
              HasSubstr("dist.timeout"));
  EXPECT_THAT(
      refused_options(
          R"({"dist.mode": "keys", "dist.rank": 0, "dist.world_size": 2, "dist.store": "redis://x"})"),
      HasSubstr("tcp://HOST:PORT"));
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
