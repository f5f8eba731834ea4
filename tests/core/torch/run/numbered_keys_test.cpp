#include "core/torch/run/numbered_keys.h"
#include "tests/expect_error.h"

#include <gmock/gmock.h>

namespace contrastive::run {
namespace {

TEST(NumberedKeys, AreTakenApart) {
  const auto parsed = parse_numbered_key("task12.data.columns", "task");
  ASSERT_TRUE(parsed);
  EXPECT_EQ(parsed->part, 11u);
  EXPECT_EQ(parsed->name, "data.columns");
  for (const char* key : {"task.lr", "task0.lr", "task02.lr", "task2", "task2x.lr",
                          "tasks.sampling", "task1000.lr", "stage2.lr", "lr", ""}) {
    EXPECT_FALSE(parse_numbered_key(key, "task")) << key;
  }
  EXPECT_EQ(prefix_of_part("stage", 1), "stage2.");
}

TEST(NumberedKeys, MessagesNameTheKeysAsTheyWereGiven) {
  const Config whole = Config::parse(
      R"({"task2.lrr": 1, "task2.batch_size": 1, "task2.data.columns": "x", "batch_size": 4})");
  const auto said = [&](const std::string& message) {
    return with_prefix(message, whole, "task2.");
  };
  EXPECT_EQ(said("config key 'batch_size' is 1"), "config key 'task2.batch_size' is 1");
  EXPECT_EQ(said("config key 'epochs' is 1"), "config key 'epochs' is 1")
      << "a key that holds for all";
  EXPECT_EQ(said("unknown config key 'lrr'; did you mean 'lr'?"),
            "unknown config key 'task2.lrr'; did you mean 'task2.lr'?");
  expect_error(Status::kFormat, "config key 'task2.data.columns': no (task 2)", [&] {
    of_part(whole, "task", 1, [] { fail(Status::kFormat, "config key 'data.columns': no"); });
  });
  EXPECT_EQ(of_part(whole, "task", 1, [] { return 5; }), 5);
}

TEST(NumberedKeys, OnePartOfAConfig) {
  const Config part =
      keys_under(Config::parse(
                     R"({"task2.lr": 1, "task2.data.header": true, "lr": 2, "task21.lr": 3})"),
                 "task2.");
  EXPECT_THAT(part.keys(), ::testing::ElementsAre("data.header", "lr"));
  EXPECT_EQ(*part.find("lr"), 1);
}

}  // namespace
}  // namespace contrastive::run
