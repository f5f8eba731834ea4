#include "core/mining/row_writer.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/data/dataset.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

using ::testing::HasSubstr;

const MinedQuery kFull = {"q", {{"p", 0.9f}, {"r", 0.75f}}, {{"n", 0.5f}, {"m", 0.25f}}};
const MinedQuery kShort = {"s", {{"t", 0.5f}}, {{"u", 0.1f}}}, kNone = {"v", {{"w", 0.5f}}, {}};

std::string written(const TemporaryFolder& folder, const std::string& name, OutputFormat format,
                    bool scores) {
  MiningOptions options;
  options.num_negatives = 2;
  options.format = format;
  options.output_scores = scores;
  RowWriter writer(folder / name, options);
  for (const MinedQuery& query : {kFull, kShort, kNone}) writer.write(query);
  writer.commit();
  const std::string bytes = read_file(folder / name, 1 << 20);
  EXPECT_EQ(std::count(bytes.begin(), bytes.end(), '\n') - (name.back() == 'v' ? 1 : 0),
            writer.rows());
  return bytes;
}

TEST(RowWriter, WritesEachFormat) {
  const TemporaryFolder folder;
  EXPECT_EQ(written(folder, "t.jsonl", OutputFormat::kTriplet, true),
            "{\"anchor\":\"q\",\"positive\":\"p\",\"negative\":\"n\",\"scores\":[0.9,0.5]}\n"
            "{\"anchor\":\"q\",\"positive\":\"p\",\"negative\":\"m\",\"scores\":[0.9,0.25]}\n"
            "{\"anchor\":\"q\",\"positive\":\"r\",\"negative\":\"n\",\"scores\":[0.75,0.5]}\n"
            "{\"anchor\":\"q\",\"positive\":\"r\",\"negative\":\"m\",\"scores\":[0.75,0.25]}\n"
            "{\"anchor\":\"s\",\"positive\":\"t\",\"negative\":\"u\",\"scores\":[0.5,0.1]}\n");
  EXPECT_EQ(written(folder, "n.jsonl", OutputFormat::kTuple, true),
            "{\"anchor\":\"q\",\"positive\":\"p\",\"negative_1\":\"n\",\"negative_2\":\"m\","
            "\"scores\":[0.9,0.5,0.25]}\n"
            "{\"anchor\":\"q\",\"positive\":\"r\",\"negative_1\":\"n\",\"negative_2\":\"m\","
            "\"scores\":[0.75,0.5,0.25]}\n");
  EXPECT_EQ(written(folder, "p.jsonl", OutputFormat::kLabeledPair, false),
            "{\"sentence1\":\"q\",\"sentence2\":\"p\",\"label\":1}\n{\"sentence1\":\"q\","
            "\"sentence2\":\"r\",\"label\":1}\n"
            "{\"sentence1\":\"q\",\"sentence2\":\"n\",\"label\":0}\n{\"sentence1\":\"q\","
            "\"sentence2\":\"m\",\"label\":0}\n"
            "{\"sentence1\":\"s\",\"sentence2\":\"t\",\"label\":1}\n{\"sentence1\":\"s\","
            "\"sentence2\":\"u\",\"label\":0}\n"
            "{\"sentence1\":\"v\",\"sentence2\":\"w\",\"label\":1}\n");
  EXPECT_EQ(written(folder, "l.ndjson", OutputFormat::kLabeledList, false),
            "{\"anchor\":\"q\",\"documents\":[\"p\",\"n\",\"m\"],\"labels\":[1,0,0]}\n{\"anchor\":"
            "\"q\",\"documents\":[\"r\",\"n\",\"m\"],\"labels\":[1,0,0]}\n"
            "{\"anchor\":\"s\",\"documents\":[\"t\",\"u\"],\"labels\":[1,0]}\n");
  EXPECT_THAT(written(folder, "s.jsonl", OutputFormat::kLabeledList, true),
              HasSubstr("\"documents\":[\"t\",\"u\"],\"scores\":[0.5,0.1]}"));
  EXPECT_EQ(written(folder, "n.tsv", OutputFormat::kTuple, false),
            "anchor\tpositive\tnegative_1\tnegative_2\nq\tp\tn\tm\nq\tr\tn\tm\n");
  EXPECT_THAT(
      written(folder, "t.tsv", OutputFormat::kTriplet, true),
      HasSubstr("anchor\tpositive\tnegative\tscore_positive\tscore_negative\nq\tp\tn\t0.9\t0.5\n"));
}

TEST(RowWriter, TrainingReadsWhatItWrites) {
  const TemporaryFolder folder;
  written(folder, "n.tsv", OutputFormat::kTuple, false);
  written(folder, "n.jsonl", OutputFormat::kTuple, true);
  written(folder, "t.jsonl", OutputFormat::kTriplet, false);
  written(folder, "p.jsonl", OutputFormat::kLabeledPair, false);
  for (const auto& [name, config] :
       {std::pair("n.tsv", R"({"data.header": true})"), std::pair("n.jsonl", "{}")}) {
    const data::Example example = data::open_dataset(folder / name, Config::parse(config))->get(1);
    EXPECT_EQ(example.b, "r");
    EXPECT_EQ(example.negatives, (std::vector<std::string>{"n", "m"}));
  }
  EXPECT_EQ(data::open_dataset(folder / "t.jsonl", Config())->get(1).negatives,
            std::vector<std::string>{"m"});
  EXPECT_EQ(data::open_dataset(folder / "p.jsonl", Config())->get(2).label, 0);
}

TEST(RowWriter, RefusesWhatAFileCannotHold) {
  const TemporaryFolder folder;
  MiningOptions options;
  const auto write = [&](const std::string& name, const MinedQuery& query) {
    RowWriter(folder / name, options).write(query);
  };
  expect_error(Status::kArgument, "must end in .jsonl, .ndjson or .tsv",
               [&] { write("mined.csv", kFull); });
  expect_error(Status::kFormat, "mined.tsv: the text 'a\tb...' has a tab or a line",
               [&] { write("mined.tsv", {"q", {{"a\tb", 1}}, {{"n", 0}}}); });
  EXPECT_NO_THROW(write("mined.jsonl", {"q", {{"a\tb\n", 1}}, {{"n", 0}}}));
  expect_error(Status::kIo, "missing/.mined.jsonl.tmp-",
               [&] { write("missing/mined.jsonl", kFull); });
  options.format = OutputFormat::kLabeledList;
  expect_error(Status::kArgument, "labeled-list", [&] { write("mined.tsv", kFull); });
  EXPECT_FALSE(path_exists(folder / "mined.jsonl")) << "nothing was committed";
}

}  // namespace
}  // namespace contrastive::mining
