#include "core/mining/miner.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/base/file.h"
#include "core/base/log.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Documents on a half circle. The query "d0 " has the vector of the document "d0", and so on.
struct Circle {
  TableEncoder model{half_circle(40)};
  std::shared_ptr<data::Dataset> pairs = data::make_dataset(), corpus;
  MiningOptions options;
  TemporaryFolder folder;
  std::string output = folder / "mined.jsonl";

  Circle() {
    std::vector<std::string> documents;
    Pairs list;
    for (int64_t i = 0; i < 40; ++i) documents.push_back("d" + std::to_string(i));
    for (const int64_t i : {0, 10, 39}) {
      const std::string name = "d" + std::to_string(i);
      model.vectors["about " + name] = model.vectors[name];
      list.emplace_back("about " + name, name);
    }
    pairs = pairs_of(list);
    corpus = texts_of(documents);
    options.relative_margin = -kNoBound;
    options.num_negatives = 2;
  }
  Json mine(Guide* guide = nullptr, const Cancel* cancel = nullptr) {
    return mining::mine(model.encoder(), guide, {*pairs, corpus.get()}, output, options, cancel);
  }
  std::vector<std::string> lines() const {
    std::vector<std::string> result;
    const std::string bytes = read_file(output, 1 << 20);
    for (size_t begin = 0, end; (end = bytes.find('\n', begin)) != std::string::npos;
         begin = end + 1)
      result.push_back(bytes.substr(begin, end - begin));
    return result;
  }
};

TEST(Miner, NearestDocumentsThatAreNoPositiveBecomeNegatives) {
  Circle circle;
  circle.options.format = OutputFormat::kTuple;
  const Json report = circle.mine();
  EXPECT_THAT(
      circle.lines(),
      ElementsAre(
          R"({"anchor":"about d0","positive":"d0","negative_1":"d1","negative_2":"d2"})",
          HasSubstr(R"("positive":"d10")"),
          R"({"anchor":"about d39","positive":"d39","negative_1":"d38","negative_2":"d37"})"));
  EXPECT_EQ(report["rows"], 3);
  EXPECT_EQ(report["negatives"], 6);
  EXPECT_EQ(report["missing_rows"], 0);
  EXPECT_EQ(report["removed"]["positive"], 3);
  EXPECT_EQ(report["embedded"], 43);
  EXPECT_NEAR(report["scores"]["positive"]["min"].get<double>(), 1, 1e-6);
  EXPECT_EQ(report["sample"].size(), 3u);
  EXPECT_EQ(report["sample"][0]["negatives"][0]["text"], "d1");
  EXPECT_FALSE(path_exists(circle.output + ".vectors"))
      << "the folder of vectors is gone when the run is over";
}

TEST(Miner, TheDefaultMarginLeavesOutWhatIsAsNearAsThePositive) {
  Circle circle;
  circle.options.relative_margin =
      0.05;  // cos of 0.318; the distance of documents is 0.075, so four on each side are too near
  const Json report = circle.mine();
  EXPECT_THAT(circle.lines()[0], HasSubstr(R"("negative":"d5")"));
  EXPECT_EQ(report["removed"]["relative_margin"], 4 + 8 + 4);
}

TEST(Miner, TextsThatAreAPositiveButForCaseAndSpaceAreNoNegatives) {
  Circle circle;
  circle.model.vectors["D0 "] = circle.model.vectors["d0"];
  circle.model.vectors["About  D0"] = circle.model.vectors["d0"];
  circle.corpus = texts_of({"D0 ", "d5", "About  D0", "d6"});
  circle.pairs = pairs_of({{"about d0", "d0"}});
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const Json report = circle.mine();
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_EQ(report["removed"]["equal_text"], 2);
  EXPECT_THAT(warnings,
              ::testing::Contains(HasSubstr("2 candidates are a positive or the query itself")));
  EXPECT_THAT(circle.lines(), ElementsAre(HasSubstr("d5"), HasSubstr("d6")));
  circle.options.equal_texts = EqualTexts::kExact;
  EXPECT_EQ(circle.mine()["removed"]["equal_text"], 0);
  EXPECT_THAT(circle.lines()[0], HasSubstr(R"("negative":"D0 ")"));
}

TEST(Miner, ACorpusThatHasEveryAnswerTwiceCountsEachTextOnce) {
  Circle circle;
  std::vector<std::string> twice;
  for (int repeat = 0; repeat < 2; ++repeat) {
    for (int64_t i = 0; i < 40; ++i) twice.push_back("d" + std::to_string(i));
  }
  const Json once = circle.mine();
  const std::vector<std::string> lines = circle.lines();
  circle.corpus = texts_of(twice);
  const Json report = circle.mine();
  EXPECT_EQ(circle.lines(), lines);
  EXPECT_EQ(report["input"]["repeated_documents"], 40);
  EXPECT_EQ(report["documents"], once["documents"]);
}

TEST(Miner, SaysWhyNoNegativeIsLeftAndWritesNothing) {
  Circle circle;
  circle.options.absolute_margin = 2.5;
  expect_error(Status::kArgument,
               "no negative is left for any of 3 queries: of 66 candidates, 3 went by "
               "positive, 63 went by absolute_margin",
               [&] { circle.mine(); });
  EXPECT_FALSE(path_exists(circle.output));
}

TEST(Miner, ARunThatWasStoppedGoesOnAndGivesTheSame) {
  Circle circle;
  circle.mine();
  const std::vector<std::string> whole = circle.lines();
  circle.output = circle.folder / "again.jsonl";
  circle.model.embedded = 0;
  circle.model.stop = 40;  // the documents, and no query
  expect_error(Status::kCancelled, "cancelled", [&] { circle.mine(); });
  EXPECT_FALSE(path_exists(circle.output));
  EXPECT_TRUE(path_exists(circle.output + ".vectors"));
  circle.model.stop = -1;
  EXPECT_EQ(circle.mine()["embedded"], 3);
  EXPECT_EQ(circle.lines(), whole);
  circle.model.name = "another model";
  circle.options.cache = circle.folder / "cache";
  EXPECT_EQ(circle.mine()["embedded"], 43);
  EXPECT_EQ(circle.mine()["embedded"], 0) << "a configured cache is kept";
  circle.model.name = "a third one";
  EXPECT_EQ(circle.mine()["embedded"], 43);
}

TEST(Miner, AGuideDecides) {
  // Reverses the order: the farther a document, the better.
  class Contrary : public Guide {
   public:
    void score(const TextTable&, const TextTable& documents,
               const std::vector<GuideQuestion>& questions, const Cancel*) override {
      for (const GuideQuestion& question : questions) {
        for (size_t i = 0; i < question.documents.size(); ++i) {
          question.scores[i] =
              static_cast<float>(std::stoi(documents.text(question.documents[i]).substr(1)));
        }
      }
    }
  };
  Circle circle;
  circle.pairs = pairs_of({{"about d10", "d10"}});
  circle.options.range_max = 39;
  circle.options.absolute_margin = 3;  // at most 10 - 3
  Contrary guide;
  const Json report = circle.mine(&guide);
  EXPECT_THAT(circle.lines(),
              ElementsAre(HasSubstr(R"("negative":"d7")"), HasSubstr(R"("negative":"d6")")));
  EXPECT_EQ(report["scores"]["positive"]["max"], 10);
}

TEST(Miner, ChecksTheOutputBeforeTheWork) {
  Circle circle;
  circle.output = circle.folder / "no/such/folder.jsonl";
  expect_error(Status::kIo, "no/such/.folder.jsonl.tmp-", [&] { circle.mine(); });
  EXPECT_EQ(circle.model.embedded, 0);
  circle.output = "";
  expect_error(Status::kArgument, "mining: the output has no name", [&] { circle.mine(); });
}

TEST(Miner, StopsWhenItIsToldTo) {
  Circle circle;
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled", [&] { circle.mine(nullptr, &cancel); });
}

TEST(Miner, SaysInTheLogHowFarItIs) {
  Circle circle;
  std::vector<std::string> messages;
  set_log_sink([&](LogLevel, const std::string& message) { messages.push_back(message); },
               LogLevel::kInfo);
  circle.mine();
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(messages, ::testing::IsSupersetOf({"mining: 40 of 40 documents embedded",
                                                 "mining: 3 of 3 queries embedded",
                                                 "mining: 3 of 3 queries searched"}));
}

}  // namespace
}  // namespace contrastive::mining
