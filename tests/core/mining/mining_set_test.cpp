#include "core/mining/mining_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <stdexcept>

#include "core/base/log.h"
#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::mining {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::vector<std::string> texts(const TextTable& table) {
  std::vector<std::string> result;
  for (int64_t i = 0; i < table.size(); ++i) result.push_back(table.text(i));
  return result;
}

TEST(MiningSet, NumbersQueriesAndDocuments) {
  const auto pairs =
      pairs_of({{"q", "a"}, {"r", "b"}, {"q", "c"}, {"q", "a"}, {" ", "a"}, {"s", ""}});
  const auto corpus = texts_of({"x", "b", "", "x", "X "});
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const auto set = read_mining_set(*pairs, corpus.get(), nullptr);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_THAT(texts(set->queries), ElementsAre("q", "r"));
  EXPECT_THAT(texts(set->documents), ElementsAre("x", "b", "X ", "a", "c"));
  EXPECT_THAT(set->positives, ElementsAre(ElementsAre(3, 4), ElementsAre(1)));
  EXPECT_EQ(set->most_positives, 3);
  EXPECT_EQ(set->pairs, 4);
  EXPECT_EQ(set->empty_pairs, 2);
  EXPECT_EQ(set->empty_documents, 1);
  EXPECT_EQ(set->repeated_documents, 1);
  EXPECT_EQ(set->repeated_pairs, 1);
  EXPECT_EQ(set->alike_documents, 1);
  EXPECT_EQ(warnings.size(), 5u);
  EXPECT_THAT(warnings, ::testing::Contains(HasSubstr("2 pairs are left out")));
}

// The log mentioned them when the file was opened, so here it mentions only the others.
TEST(MiningSet, CountsWhatTheFilesLeftOut) {
  const TemporaryFolder folder;
  const auto pairs = data::open_dataset(folder.write("pairs.tsv", "q\ta\nr\t\n\ns\t \nt\tb\n"), {});
  const auto corpus = data::open_dataset(folder.write("corpus.txt", "x\n\n \n\ny\n"), {});
  std::vector<std::string> warnings;
  set_log_sink([&](LogLevel, const std::string& message) { warnings.push_back(message); },
               LogLevel::kWarning);
  const auto set = read_mining_set(*pairs, corpus.get(), nullptr);
  set_log_sink({}, LogLevel::kWarning);
  EXPECT_EQ(set->pairs, 2);
  EXPECT_EQ(set->empty_pairs, 3);
  EXPECT_EQ(set->empty_documents, 3);
  EXPECT_THAT(warnings, ElementsAre(HasSubstr("1 pairs are left out"),
                                    HasSubstr("1 empty documents are left out")));
  const auto blank = data::open_dataset(folder.write("blank.tsv", "q\t \nr\t\n"), {});
  expect_error(Status::kArgument, "no pair is left of 2, 2 of which have an empty text",
               [&] { read_mining_set(*blank, corpus.get(), nullptr); });
}

TEST(MiningSet, AnAnchorOfAllPairsTakesNoQuadraticTime) {
  Pairs list;
  for (int i = 0; i < 300000; ++i) list.emplace_back("the same", std::to_string(i));
  list.emplace_back("the same", "7");
  const auto pairs = pairs_of(list);
  const auto begin = std::chrono::steady_clock::now();
  const auto set = read_mining_set(*pairs, nullptr, nullptr);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10));
  EXPECT_EQ(set->positives[0].size(), 300000u);
  EXPECT_EQ(set->positives[0][299999], 299999);
  EXPECT_EQ(set->repeated_pairs, 1);
  EXPECT_EQ(set->most_positives, 300001);
}

TEST(MiningSet, WithoutACorpusThePositivesAreIt) {
  const auto pairs = pairs_of({{"q", "a"}, {"r", "b"}});
  EXPECT_THAT(texts(read_mining_set(*pairs, nullptr, nullptr)->documents), ElementsAre("a", "b"));
}

// Looking up the line number of each example would read the file once per example.
TEST(MiningSet, AsksWhereAnExampleStandsOnlyForErrors) {
  class Examples : public data::Dataset {
   public:
    explicit Examples(bool pairs) : pairs_(pairs) {}
    int64_t size() const override { return 3; }
    data::Example get(int64_t index) const override {
      data::Example example;
      example.a = "a" + std::to_string(index);
      example.b = pairs_ ? "b" + std::to_string(index) : "";
      example.has_b = pairs_;
      return example;
    }
    void add(data::Example) override {}
    std::string fingerprint() const override { return ""; }
    const data::DatasetReport& report() const override { return report_; }
    std::string where(int64_t) const override { throw std::logic_error("where() was asked"); }

   private:
    bool pairs_;
    data::DatasetReport report_;
  };
  const Examples pairs(true), corpus(false);
  EXPECT_EQ(read_mining_set(pairs, &corpus, nullptr)->documents.size(), 6);
  EXPECT_THROW(read_mining_set(corpus, nullptr, nullptr), std::logic_error);
}

TEST(MiningSet, RefusesWhatCannotBeMined) {
  const auto pairs = pairs_of({{"q", "a"}}), empty = pairs_of({{"", "a"}}),
             texts_only = texts_of({"q", "x"});
  expect_error(Status::kArgument, "one distinct document only",
               [&] { read_mining_set(*pairs, nullptr, nullptr); });
  expect_error(Status::kArgument, "no pair is left of 1, 1 of which have an empty text",
               [&] { read_mining_set(*empty, texts_only.get(), nullptr); });
  expect_error(Status::kArgument, "example 0: a text without a positive",
               [&] { read_mining_set(*texts_only, nullptr, nullptr); });
  expect_error(Status::kArgument, "example 0: the corpus has pairs",
               [&] { read_mining_set(*pairs, pairs.get(), nullptr); });
  expect_error(Status::kArgument,
               "data.columns naming the column of the text (contrastive: --corpus-column)",
               [&] { read_mining_set(*pairs, pairs.get(), nullptr); });
  Cancel cancel;
  cancel.trigger();
  expect_error(Status::kCancelled, "cancelled",
               [&] { read_mining_set(*pairs, texts_only.get(), &cancel); });
}

}  // namespace
}  // namespace contrastive::mining
