// The tasks by name, on a small random encoder.
#include "core/eval/evaluate.h"

#include <gtest/gtest.h>

#include "tests/core/eval/tasks.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::eval {
namespace {

TEST(Evaluate, TasksNeedData) {
  for (const auto& [task, part] : {std::pair("pairs", "data is not set"),
                                   {"triplets", "data is not set"},
                                   {"paraphrases", "set either data"},
                                   {"tsne", "set either data"}}) {
    SCOPED_TRACE(task);
    expect_error(Status::kArgument, part, [&] { evaluate(encoder(), task, {}, nullptr); });
    expect_error(Status::kNotFound, "/absent",
                 [&] { evaluate(encoder(), task, config({{"data", "/absent"}}), nullptr); });
  }
}

TEST(Evaluate, RefusesUnknownTasksAndKeys) {
  expect_error(Status::kArgument, "'sts'", [] { evaluate(encoder(), "stss", {}, nullptr); });
  expect_error(Status::kArgument, "did you mean 'data'",
               [] { evaluate(encoder(), "sts", config({{"date", "x"}}), nullptr); });
  expect_error(Status::kArgument, "data is not set",
               [] { evaluate(encoder(), "sts", {}, nullptr); });
  expect_error(Status::kNotFound, "/absent: no such file or folder",
               [] { evaluate(encoder(), "sts", config({{"data", "/absent"}}), nullptr); });
  expect_error(Status::kArgument, "or all of corpus, queries and qrels", [] {
    evaluate(encoder(), "retrieval", config({{"data", "x"}, {"corpus", "y"}}), nullptr);
  });
  for (const char* k : {"0", "ten", "1,,2", "1000000"}) {
    SCOPED_TRACE(k);
    expect_error(Status::kArgument, "config key 'k' takes whole numbers from 1 to 10000", [&] {
      evaluate(encoder(), "retrieval", config({{"data", "x"}, {"k", k}}), nullptr);
    });
  }
}

TEST(Evaluate, CanBeCancelled) {
  const TemporaryFolder folder;
  const std::string path = folder.write("p.tsv", "5\tthe cat sat\tthe cat sat\n1\tred\tblue\n");
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { evaluate(encoder(), "sts", config({{"data", path}}), &cancel); });
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
