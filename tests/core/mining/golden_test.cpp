// The same rows, scores and counts as sentence-transformers' mine_hard_negatives on the same
// vectors, over a grid of settings (tests/golden/mining/make.py).
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/json.h"
#include "core/mining/encoder_guide.h"
#include "core/mining/miner.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/fixtures_folder.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

Vectors vectors_of(const Json& table) {
  Vectors vectors;
  for (const auto& [name, row] : table.items()) vectors[name] = row.get<std::vector<float>>();
  return vectors;
}

MiningOptions options_of(const Json& settings) {
  Config config;
  for (const auto& [key, value] : settings.items()) config.set_json(key, value);
  if (!config.has("relative_margin")) config.set("relative_margin", "-1e9");
  config.set("equal_texts", "exact");
  config.set("output_scores", "true");
  return read_mining_options(config);
}

// A row of the fixture as a flat list of texts and numbers, without the names of its columns.
void flatten(const Json& value, std::vector<std::string>& texts, std::vector<double>& scores) {
  if (value.is_string()) texts.push_back(value);
  if (value.is_number()) scores.push_back(value);
  if (value.is_structured()) {
    for (const Json& item : value) flatten(item, texts, scores);
  }
}

void expect_rows(const std::string& output, const Json& rows) {
  std::vector<std::string> wanted_texts, texts;
  std::vector<double> wanted_scores, scores;
  flatten(rows, wanted_texts, wanted_scores);
  const std::string bytes = read_file(output, 1 << 24);
  for (size_t begin = 0; begin < bytes.size();) {
    const size_t end = bytes.find('\n', begin);
    flatten(parse_json(bytes.substr(begin, end - begin), output), texts, scores);
    begin = end + 1;
  }
  EXPECT_EQ(texts, wanted_texts);
  ASSERT_EQ(scores.size(), wanted_scores.size());
  for (size_t i = 0; i < scores.size(); ++i) EXPECT_NEAR(scores[i], wanted_scores[i], 1e-6);
}

void expect_summary(const Json& scores, const Json& run) {
  const std::pair<const char*, const char*> names[] = {{"mean", "Mean"}, {"median", "Median"},
                                                       {"std", "Std"},   {"min", "Min"},
                                                       {"q25", "25%"},   {"q50", "50%"},
                                                       {"q75", "75%"},   {"max", "Max"}};
  EXPECT_EQ(scores["positive"]["count"], run["count"][0]);
  EXPECT_EQ(scores["negative"]["count"], run["count"][1]);
  for (const auto& [ours, theirs] : names) {
    size_t column = 0;
    for (const char* what : {"positive", "negative", "difference"}) {
      const double wanted = run["summary"][theirs][column++];
      EXPECT_NEAR(scores[what][ours].get<double>(), wanted, 5.1e-5)
          << what << " " << ours;  // four digits are printed
    }
  }
}

// sentence-transformers also counts candidates that another filter had already removed before
// min_score, and positions without a candidate.
void expect_counts(const Json& report, const Json& run) {
  const Json& removed = report["removed"];
  for (const char* name : {"absolute_margin", "relative_margin", "max_score"})
    EXPECT_EQ(removed[name], run["skipped"].value(name, 0)) << name;
  if (run["skipped"].contains("min_score")) {
    const int64_t width = report["range_max"].get<int64_t>() + 3,
                  places = report["queries"].get<int64_t>() * width;  // q1 has three lines
    int64_t gone = places - report["candidates"].get<int64_t>();
    for (const Json& count : removed) gone += count.get<int64_t>();
    EXPECT_EQ(gone, run["skipped"]["min_score"]);
  }
}

TEST(MiningGolden, EqualsSentenceTransformers) {
  const Json golden = read_json_file(fixtures() + "/mining_golden.json");
  Pairs pairs;
  for (const Json& pair : golden["pairs"]) pairs.emplace_back(pair[0], pair[1]);
  const auto pair_data = pairs_of(pairs),
             corpus = texts_of(golden["corpus"].get<std::vector<std::string>>());
  TableEncoder model{vectors_of(golden["vectors"])}, second{vectors_of(golden["guide"]), "guide"};
  const MiningEncoder encoder = model.encoder();
  int64_t compared = 0, guided = 0;
  for (const Json& run : golden["runs"]) {
    SCOPED_TRACE(run["settings"].dump() + (run["guided"].get<bool>() ? " guided" : ""));
    const TemporaryFolder folder;
    const std::string output = folder / "mined.jsonl";
    const MiningOptions options = options_of(run["settings"]);
    EncoderGuide guide(second.encoder(), retrieval::Metric::kCosine, folder / "guide");
    const bool asks = run["guided"];
    if (run["count"][1] == 0) {
      expect_error(Status::kArgument, "no negative is left", [&] {
        mine(encoder, asks ? &guide : nullptr, {*pair_data, corpus.get()}, output, options,
             nullptr);
      });
      continue;
    }
    const Json report = mine(encoder, asks ? &guide : nullptr, {*pair_data, corpus.get()}, output,
                             options, nullptr);
    expect_rows(output, run["rows"]);
    expect_summary(report["scores"], run);
    expect_counts(report, run);
    EXPECT_EQ(report["range_max"], run["range_max"]);
    EXPECT_EQ(report["missing_rows"], run["missing"]);
    ++compared;
    guided += asks ? 1 : 0;
  }
  EXPECT_GE(compared, 50);
  EXPECT_GE(guided, 10);
}

}  // namespace
}  // namespace contrastive::mining
