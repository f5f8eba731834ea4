#include "core/adapt/search_test.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "tests/core/mining/tables.h"
#include "tests/expect_error.h"
#include "tests/temporary_folder.h"

namespace contrastive::adapt {
namespace {

using mining::TableEncoder;
using ::testing::ElementsAre;

// Documents d0 ... d39 on a half circle. The query "about dN" has the vector of dN.
struct Search {
  TableEncoder model{mining::half_circle(40)};
  std::shared_ptr<data::Dataset> corpus;
  std::vector<std::string> positives = {"d0", "d3", "d39"};
  std::vector<AdaptPair> test = {{"about d0", "d0"}, {"about d1", "d3"}, {"about d0", "d3"}};
  TemporaryFolder folder;

  Search() {
    std::vector<std::string> documents;
    for (int i = 0; i < 39; ++i) documents.push_back(cat("d", i));
    corpus = mining::texts_of(documents);
    for (const char* name : {"d0", "d1"}) model.vectors[cat("about ", name)] = model.vectors[name];
  }
};

TEST(SearchTest, KeepsEveryQuerysFigures) {
  Search search;
  const SearchTest test(search.test, search.corpus.get(), search.positives, nullptr);
  EXPECT_EQ(test.queries(), 2);
  EXPECT_EQ(test.documents(), 40);
  EXPECT_THAT(test.answers(0), ElementsAre(0, 3));
  const SearchFigures figures = test.run(search.model.encoder(), search.folder / "vectors",
                                         retrieval::Metric::kCosine, nullptr);
  // about d0 finds d0, d1, d2, d3; about d1 finds d1, then d0 and d2, then d3.
  EXPECT_THAT(figures.ranks, ElementsAre(1, 4));
  EXPECT_EQ(test.document(figures.firsts[1]), "d1");
  EXPECT_THAT(figures.values[1], ElementsAre(1, 0.25)) << "mrr@10";
  EXPECT_THAT(figures.values[2], ElementsAre(0.5, 0)) << "recall@1";
  EXPECT_THAT(figures.values[3], ElementsAre(1, 1)) << "recall@10";
  EXPECT_NEAR(figures.values[0][1], 1 / std::log2(5), 1e-12) << "ndcg@10";
  EXPECT_NEAR(figures.mean(1), 0.625, 1e-12);
}

TEST(SearchTest, VectorsThatAreThereAreNotComputedAgain) {
  Search search;
  const SearchTest test(search.test, search.corpus.get(), search.positives, nullptr);
  test.run(search.model.encoder(), search.folder / "vectors", retrieval::Metric::kCosine, nullptr);
  EXPECT_EQ(search.model.embedded, 42);
  test.run(search.model.encoder(), search.folder / "vectors", retrieval::Metric::kCosine, nullptr);
  EXPECT_EQ(search.model.embedded, 42);
}

TEST(SearchTest, WithoutACorpusTheAnswersAreSearched) {
  Search search;
  const SearchTest test(search.test, nullptr, search.positives, nullptr);
  EXPECT_EQ(test.documents(), 3);
  EXPECT_THAT(test.run(search.model.encoder(), search.folder / "v", retrieval::Metric::kCosine,
                       nullptr)
                  .ranks,
              ElementsAre(1, 2));
}

TEST(SearchTest, FiguresReadBack) {
  SearchFigures figures;
  for (auto& values : figures.values) values = {0.1, 1.0 / 3};
  figures.ranks = {1, 0};
  figures.firsts = {7, 8};
  const Json json = figures.to_json();
  const SearchFigures back = SearchFigures::from_json(json, "file");
  EXPECT_EQ(back.values, figures.values);
  EXPECT_EQ(back.ranks, figures.ranks);
  EXPECT_EQ(back.firsts, figures.firsts);
  Json cut = json;
  cut["ndcg@10"].erase(0);
  expect_error(Status::kCorrupt, "file: the lists have different lengths",
               [&] { SearchFigures::from_json(cut, "file"); });
  cut["ndcg@10"] = "much";
  expect_error(Status::kCorrupt, "file: a list of numbers is missing",
               [&] { SearchFigures::from_json(cut, "file"); });
}

}  // namespace
}  // namespace contrastive::adapt
