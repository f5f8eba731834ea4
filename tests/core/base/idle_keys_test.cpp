#include "core/base/idle_keys.h"

#include <gtest/gtest.h>

#include "core/base/error.h"
#include "tests/expect_error.h"

namespace contrastive {
namespace {

TEST(IdleKeys, AreRefusedWhereTheyWereAskedFor) {
  const Config config = Config::parse(R"({"m.b": 0, "c": 1})");
  const auto groups = [](bool idle) {
    return std::vector<IdleKeys>{{false, "never", {"b", "c"}}, {idle, "m.a is off", {"a", "b"}}};
  };
  EXPECT_NO_THROW(reject_idle_keys(config, "m.", groups(false)));
  EXPECT_NO_THROW(reject_idle_keys(config, "other.", groups(true)));
  EXPECT_NO_THROW(reject_idle_keys({}, "m.", groups(true)));
  expect_error(Status::kArgument, "config key 'm.b' is set, but m.a is off",
               [&] { reject_idle_keys(config, "m.", groups(true)); });
}

}  // namespace
}  // namespace contrastive
