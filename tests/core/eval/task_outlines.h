// Compares what tasks say before a run with what the run does, on a small random encoder.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "core/eval/evaluate.h"
#include "core/eval/figures.h"
#include "tests/core/eval/files.h"
#include "tests/expect_error.h"
#include "tests/test_device.h"

namespace contrastive::eval {

class TaskOutlines : public testing::Test {
 protected:
  // Pairs of sentences with scores from 0 to 5.
  static std::string scored_lines() {
    std::string lines;
    for (int i = 0; i < 12; ++i)
      lines += cat(i % 6, "\tthe cat sat ", i, "\tthe cat sat ", i + i % 6, "\n");
    return lines;
  }
  static Json run(const std::string& task, const Config& config) {
    const auto model =
        model::SentenceEncoder::load(fixtures() + "/models/bert_st", on_test_device());
    return evaluate(*model, task, config, nullptr);
  }
  Config keys(const std::string& data, const std::string& more) const {
    Config config = Config::parse(more);
    if (!data.empty()) config.set_json("data", folder_.path() + "/" + data);
    return config;
  }
  // The figures that the outline promises are in the report of a run, and `expected` is one of
  // them.
  void expect(const std::string& task, const std::string& data, const std::string& figure,
              const std::string& more = "{}") const {
    SCOPED_TRACE(task);
    const Config config = keys(data, more);
    const std::vector<std::string> promised = figures_of_task(task, config);
    EXPECT_THAT(promised, testing::IsSubsetOf(figure_names(run(task, config))));
    EXPECT_THAT(promised, testing::Contains(figure));
  }
  // The outline fails with this status and message, and a run fails with the same message.
  void refused(Status status, const std::string& part, const std::string& task,
               const std::string& data, const std::string& more) const {
    SCOPED_TRACE(task + " " + data);
    const Config config = keys(data, more);
    EXPECT_EQ(expect_error(status, part, [&] { figures_of_task(task, config); }),
              expect_error(status, part, [&] { run(task, config); }));
  }
  TemporaryFolder folder_;
};

}  // namespace contrastive::eval
