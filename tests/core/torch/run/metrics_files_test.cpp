#include "core/torch/run/metrics_files.h"

#include <gmock/gmock.h>

#include <limits>
#include <sstream>

#include "core/base/error.h"
#include "core/base/json.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::run {
namespace {

std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(MetricsFiles, ATableHasOneHeaderThroughAPauseAndGrowsWhereANewValueComes) {
  const TemporaryFolder folder;
  Metrics metrics;
  metrics.set("step", 1);
  metrics.set("loss", 0.5);
  metrics.set("loss.contrastive", 0.25);
  MetricsFiles files("", folder / "m.csv", {"dev"});
  files.append(metrics);
  EXPECT_THAT(lines_of(folder / "m.csv"),
              ::testing::ElementsAre("step,epoch,loss,lr,grad_norm,dev,loss.contrastive",
                                     "1,,0.5,,,,0.25"));
  metrics.set("step", 2);
  metrics.set("loss", std::numeric_limits<double>::quiet_NaN());
  metrics.set("dev", 0.75);
  files.append(metrics);
  MetricsFiles resumed("", folder / "m.csv", {"other"});
  metrics.set("step", 3);
  metrics.set("loss.cross_entropy", 9);
  resumed.append(metrics);
  EXPECT_THAT(
      lines_of(folder / "m.csv"),
      ::testing::ElementsAre("step,epoch,loss,lr,grad_norm,dev,loss.contrastive,loss.cross_entropy",
                             "1,,0.5,,,,0.25,", "2,,,,,0.75,0.25,", "3,,,,,0.75,0.25,9"));
}

TEST(MetricsFiles, ALineThatWasCutOffStaysALine) {
  const TemporaryFolder folder;
  Metrics metrics;
  metrics.set("step", 8);
  folder.write("m.csv", "step,epoch,loss,lr,grad_norm\n7,0.1,0.");
  MetricsFiles("", folder / "m.csv", {}).append(metrics);
  EXPECT_THAT(lines_of(folder / "m.csv"),
              ::testing::ElementsAre("step,epoch,loss,lr,grad_norm", "7,0.1,0.", "8,,,,"));
}

TEST(MetricsFiles, AForeignTableIsRefusedAndStaysAsItIs) {
  const TemporaryFolder folder;
  const std::string path = folder.write("m.csv", "name,price\napple,2\n");
  const std::string message =
      expect_error(Status::kArgument, path, [&] { MetricsFiles("", path, {}); });
  EXPECT_THAT(message, ::testing::HasSubstr("'name,price'"));
  EXPECT_THAT(lines_of(path), ::testing::ElementsAre("name,price", "apple,2"));
}

TEST(MetricsFiles, AFileOfExamplesIsRefusedAndStaysAsItIs) {
  const TemporaryFolder folder;
  for (const char* text : {"{\"anchor\": \"a\", \"positive\": \"b\"}\n", "a dog\ta cat\n", "\n",
                           "{\n  \"step\": 1\n}\n", "[1]\n"}) {
    const std::string path = folder.write("m.jsonl", text);
    expect_error(Status::kArgument, "'metrics_file': " + path, [&] { MetricsFiles(path, "", {}); });
    std::ifstream file(path);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  }
}

TEST(MetricsFiles, RecordsAreGoneOnWithWhereTheFirstIsAPiece) {
  const TemporaryFolder folder;
  Metrics metrics;
  metrics.set("step", 2);
  const std::string path = folder.write("m.jsonl", "{\"loss\":0.5,\"st");
  MetricsFiles(path, "", {}).append(metrics);
  MetricsFiles(path, "", {}).append(metrics);
  EXPECT_THAT(lines_of(path),
              ::testing::ElementsAre("{\"loss\":0.5,\"st", "{\"step\":2}", "{\"step\":2}"));
}

TEST(MetricsFiles, JsonLinesHoldEverything) {
  const TemporaryFolder folder;
  Metrics metrics;
  metrics.set("step", 1);
  metrics.set("dev", std::numeric_limits<double>::quiet_NaN());
  MetricsFiles(folder / "m.jsonl", "", {}).append(metrics);
  EXPECT_THAT(lines_of(folder / "m.jsonl"), ::testing::ElementsAre("{\"dev\":null,\"step\":1}"));
  expect_error(Status::kIo, "absent/m.jsonl: cannot be opened",
               [&] { MetricsFiles(folder / "absent/m.jsonl", "", {}); });
  expect_error(Status::kIo, "absent/m.csv: cannot be opened",
               [&] { MetricsFiles("", folder / "absent/m.csv", {}); });
}

TEST(MetricsFiles, WhatAFullDiskRefusedIsWrittenLater) {
  const TemporaryFolder folder;
  const std::string path = folder / "m.csv";
  std::filesystem::create_symlink("/dev/full", path);
  Metrics metrics;
  metrics.set("step", 1);
  MetricsFiles files(folder / "m.jsonl", path, {});
  for (int i = 0; i < 2; ++i) {
    expect_error(Status::kNoSpace, path, [&] { files.append(metrics); });
  }
  EXPECT_EQ(lines_of(folder / "m.jsonl").size(), 2u);
  std::filesystem::remove(path);
  metrics.set("failed_lines", 2);
  files.append(metrics);
  EXPECT_THAT(lines_of(path),
              ::testing::ElementsAre("step,epoch,loss,lr,grad_norm,failed_lines", "1,,,,,2"));
}

}  // namespace
}  // namespace contrastive::run
