// The tasks by name, on a small random encoder.
#include "core/eval/evaluate.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/core/eval/files.h"
#include "tests/core/eval/tasks.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

TEST(Evaluate, ATaskWithoutItsDataIsRefused) {
  for (const char* task : {"pairs", "triplets", "paraphrases", "tsne"}) {
    EXPECT_EQ(error_of([&] { evaluate(encoder(), task, {}, nullptr); }).status(), Status::kArgument)
        << task;
    EXPECT_EQ(error_of([&] {
                evaluate(encoder(), task, config({{"data", "/absent"}}), nullptr);
              }).status(),
              Status::kNotFound)
        << task;
  }
}

TEST(Evaluate, RefusesUnknownTasksAndKeys) {
  const Error task = error_of([] { evaluate(encoder(), "stss", {}, nullptr); });
  EXPECT_EQ(task.status(), Status::kArgument);
  EXPECT_THAT(task.message(), HasSubstr("'sts'"));
  const Error key = error_of([] { evaluate(encoder(), "sts", config({{"date", "x"}}), nullptr); });
  EXPECT_EQ(key.status(), Status::kArgument);
  EXPECT_THAT(key.message(), HasSubstr("data"));
  EXPECT_EQ(error_of([] { evaluate(encoder(), "sts", {}, nullptr); }).status(), Status::kArgument);
  EXPECT_EQ(error_of([] {
              evaluate(encoder(), "sts", config({{"data", "/absent"}}), nullptr);
            }).status(),
            Status::kNotFound);
  EXPECT_EQ(error_of([] {
              evaluate(encoder(), "retrieval", config({{"data", "x"}, {"corpus", "y"}}), nullptr);
            }).status(),
            Status::kArgument);
  for (const char* k : {"0", "ten", "1,,2", "1000000"}) {
    EXPECT_EQ(error_of([&] {
                evaluate(encoder(), "retrieval", config({{"data", "x"}, {"k", k}}), nullptr);
              }).status(),
              Status::kArgument)
        << k;
  }
}

TEST(Evaluate, CanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  Cancel cancel;
  cancel.trigger();
  EXPECT_EQ(error_of([&] {
              evaluate(encoder(), "sts", config({{"data", path}}), &cancel);
            }).status(),
            Status::kCancelled);
}

TEST(Evaluate, EveryTaskDescribesItsKeys) {
  for (const std::string& task : task_names()) {
    const Json rows = describe_task(task);
    ASSERT_GE(rows.size(), 5u);
    EXPECT_EQ(rows[0]["key"], "data");
    for (const Json& row : rows) EXPECT_FALSE(row["help"].get<std::string>().empty()) << row.dump();
  }
}

}  // namespace
}  // namespace contrastive::eval
