#include "core/torch/run/records.h"

#include <gmock/gmock.h>

#include <cmath>
#include <filesystem>
#include <fstream>

#include "core/base/json.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

Records without_files() { return Records(MetricsFiles("", "", {})); }

std::vector<Json> json_lines_of(const std::string& path) {
  std::vector<Json> lines;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) lines.push_back(parse_json(line, path));
  return lines;
}

TEST(Records, WhatIsMeasuredNowAndThenIsInOneLine) {
  const TemporaryFolder folder;
  Records records(MetricsFiles(folder / "m.jsonl", "", {}));
  records.set("step", 1);
  records.measure("dev", 0.5);
  records.write(1);
  records.set("step", 2);
  records.write(2);
  const std::vector<Json> lines = json_lines_of(folder / "m.jsonl");
  ASSERT_EQ(lines.size(), 2u);
  EXPECT_EQ(lines[0].at("dev"), 0.5);
  EXPECT_TRUE(lines[1].at("dev").is_null());
  EXPECT_EQ(records.value("dev"), 0.5) << "a caller sees the last value";
}

TEST(Records, AnUpdateWithoutALossHasNoneOfTheOneBefore) {
  Records records = without_files();
  for (const char* name : {"loss", "loss.contrastive", "grad_norm", "tokens", "lr"})
    records.set(name, 1);
  records.forget_loss();
  for (const char* name : {"loss", "loss.contrastive", "grad_norm", "tokens"})
    EXPECT_TRUE(std::isnan(records.value(name))) << name;
  EXPECT_EQ(records.value("lr"), 1);
}

TEST(Records, ALineThatCannotBeWrittenIsCounted) {
  const TemporaryFolder folder;
  Records records(MetricsFiles(folder / "m.jsonl", "", {}));
  std::filesystem::remove(folder / "m.jsonl");
  std::filesystem::create_directory(folder / "m.jsonl");
  records.write(1);
  records.write(2);
  EXPECT_EQ(records.value("failed_lines"), 2);
}

// A line has what was measured since the last line, also in a resumed run. The figures of the
// collapse watch are repeated until it measures again.
TEST(Records, ComeBackFromASavedRun) {
  const TemporaryFolder folder;
  Records records = without_files(), again(MetricsFiles(folder / "m.jsonl", "", {}));
  records.measure("view.uniformity", -2);
  records.measure("dev", 0.25);
  records.write(1);
  records.measure("dev", 0.5);
  records.measure("loss.task2", std::nan(""));
  TrainingState state;
  records.save(state);
  again.restore(state);
  EXPECT_EQ(again.value("view.uniformity"), -2);
  again.write(2);
  const Json line = json_lines_of(folder / "m.jsonl").at(0);
  EXPECT_EQ(line.at("dev"), 0.5);
  EXPECT_TRUE(line.at("view.uniformity").is_null()) << "an earlier line has it";
}

}  // namespace
}  // namespace contrastive::run
