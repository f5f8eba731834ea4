// Against sentence-transformers' ParaphraseMiningEvaluator (tests/golden/eval/retrieval.py) and a plain loop over all pairs.
#include "core/eval/retrieval/paraphrases.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <tuple>

#include "core/runtime/threads.h"
#include "tests/core/eval/random_points.h"
#include "tests/core/eval/retrieval/table_encoder.h"

namespace contrastive::eval {
namespace {

using ::testing::HasSubstr;

std::vector<std::pair<int64_t, int64_t>> ids(const std::vector<MinedPair>& pairs) {
  std::vector<std::pair<int64_t, int64_t>> result;
  for (const MinedPair& pair : pairs) result.emplace_back(pair.first, pair.second);
  return result;
}

TEST(Paraphrases, EqualSentenceTransformers) {
  const Json& golden = fixture("eval_retrieval.json")["paraphrases"];
  for (const Json& one : golden["cases"]) {
    ParaphraseData data;
    for (int64_t row = 0; row < 60; ++row) data.texts.push_back(row_text(row));
    data.paraphrases = Paraphrases(60, one["transitive"].get<bool>());
    for (const Json& pair : golden["duplicates"]) data.paraphrases.add(pair[0].get<int64_t>(), pair[1].get<int64_t>());
    MiningOptions options;
    options.top_k = one["top_k"].get<int64_t>();
    options.max_pairs = one["max_pairs"].get<int64_t>();
    const Json json = evaluate_paraphrases(data, table_encoder(), options).to_json();
    for (const char* figure : {"average_precision", "f1", "precision", "recall", "threshold"}) {
      EXPECT_NEAR(json[figure].get<double>(), one["metrics"][figure].get<double>(), 1e-6) << figure << " of " << one.dump();
    }
  }
}

TEST(Mining, FindsWhatAPlainLoopFindsForEveryThreadCount) {
  const int64_t n = 300, d = 5;
  const std::vector<float> x = random_points(n, d);
  std::vector<float> scores(n * n);
  retrieval::similarity(x.data(), n, x.data(), n, d, retrieval::Metric::kDot, scores.data());
  std::vector<MinedPair> all;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t j = i + 1; j < n; ++j) all.push_back({i, j, scores[i * n + j]});
  }
  std::sort(all.begin(), all.end(), [](const MinedPair& a, const MinedPair& b) {
    return std::tuple(-a.score, a.first, a.second) < std::tuple(-b.score, b.first, b.second);
  });
  MiningOptions options;
  options.metric = retrieval::Metric::kDot;
  options.top_k = n - 1;
  EXPECT_EQ(ids(mine_pairs(x.data(), n, d, options)), ids(all));
  options.top_k = 10000;
  options.max_pairs = 700;  // the list of candidates is cut down more than once
  const std::vector<MinedPair> best(all.begin(), all.begin() + 700);
  for (int threads : {1, 3}) {
    runtime::set_threads(threads);
    EXPECT_EQ(ids(mine_pairs(x.data(), n, d, options)), ids(best));
  }
  options.min_score = all[99].score;
  EXPECT_EQ(mine_pairs(x.data(), n, d, options).size(), 100u);
}

TEST(Mining, TopKCountsTheOthersOnly) {
  const std::vector<float> line = {1, 2, 4, 8, 16};  // the nearest other of each is its left neighbour, but for the first
  MiningOptions options;
  options.metric = retrieval::Metric::kEuclidean;
  options.top_k = 1;
  EXPECT_EQ(ids(mine_pairs(line.data(), 5, 1, options)), (std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}));
}

TEST(Mining, EqualRowsAndTooFewRows) {
  const std::vector<float> same(6, 1.0f);
  MiningOptions options;
  options.top_k = 2;
  EXPECT_EQ(ids(mine_pairs(same.data(), 3, 2, options)), (std::vector<std::pair<int64_t, int64_t>>{{0, 1}, {0, 2}, {1, 2}}));
  EXPECT_TRUE(mine_pairs(same.data(), 1, 2, options).empty());
  EXPECT_TRUE(mine_pairs(same.data(), 0, 2, options).empty());
  options.top_k = 0;
  EXPECT_EQ(error_of([&] { mine_pairs(same.data(), 3, 2, options); }).status(), Status::kArgument);
  Cancel cancel;
  cancel.trigger();
  options.top_k = 1;
  options.cancel = &cancel;
  EXPECT_EQ(error_of([&] { mine_pairs(same.data(), 3, 2, options); }).status(), Status::kCancelled);
}

TEST(Paraphrases, ChainsCountWhereTheyAreTransitive) {
  for (const bool transitive : {false, true}) {
    Paraphrases paraphrases(6, transitive);
    paraphrases.add(0, 1);
    paraphrases.add(2, 1);
    paraphrases.add(1, 2);
    paraphrases.add(4, 5);
    paraphrases.add(3, 3);
    EXPECT_EQ(paraphrases.count(), transitive ? 4 : 3);
    EXPECT_TRUE(paraphrases.contains(1, 0));
    EXPECT_EQ(paraphrases.contains(0, 2), transitive);
    EXPECT_FALSE(paraphrases.contains(3, 3));
    EXPECT_FALSE(paraphrases.contains(0, 4));
  }
}

TEST(ParaphraseFiles, TheTextsOfPairsAreSearchedOnce) {
  const TempFolder folder;
  const std::string path = folder.write("p.tsv", "1\tabc\tabd\n0\tabc\txyz\n1\tabd\tabc\n1\txyz\txyz\n");
  const ParaphraseData data = read_paraphrase_pairs(path, false);
  EXPECT_EQ(data.texts, (std::vector<std::string>{"abc", "abd", "xyz"}));
  EXPECT_EQ(data.paraphrases.count(), 1);
  LetterEncoder letters;
  const Json json = evaluate_paraphrases(data, letters.encoder(), {}).to_json();
  EXPECT_EQ(json["pairs"], 3);
  EXPECT_EQ(json["f1"], 1.0);
  EXPECT_EQ(json["average_precision"], 1.0);
  EXPECT_EQ(letters.encoded, 3);
  const ParaphraseData none = read_paraphrase_pairs(folder.write("n.tsv", "0\ta\tb\n"), false);
  EXPECT_EQ(error_of([&] { evaluate_paraphrases(none, letters.encoder(), {}); }).status(), Status::kFormat);
}

TEST(ParaphraseFiles, ReadsTextsAndDuplicatesById) {
  const TempFolder folder;
  const std::string texts = folder.write("texts.tsv", "qid\tsentence\n7\tabc\n8\tabc\n9\txyz\n");
  const ParaphraseData data = read_paraphrase_files(texts, folder.write("d.tsv", "qid1\tqid2\n7\t8\n8\t9\n"), true);
  EXPECT_EQ(data.texts.size(), 3u);
  EXPECT_EQ(data.paraphrases.count(), 3);
  LetterEncoder letters;
  EXPECT_EQ(evaluate_paraphrases(data, letters.encoder(), {}).to_json()["recall"], 1.0);
  EXPECT_EQ(letters.encoded, 2);  // 7 and 8 are one text
  const auto error = [&](const std::string& lines) { return error_of([&] { read_paraphrase_files(texts, folder.write("e.tsv", lines), false); }); };
  EXPECT_EQ(error("7\t8\n7\t10\n").status(), Status::kNotFound);
  EXPECT_THAT(error("7\t8\n7\t10\n").message(), HasSubstr("e.tsv:2: no text has the id '10'"));
  EXPECT_THAT(error("7\n").message(), HasSubstr("e.tsv:1"));
  const std::string twice = folder.write("twice.tsv", "7\ta\n7\tb\n");
  EXPECT_THAT(error_of([&] { read_paraphrase_files(twice, folder.write("e.tsv", "7\t7\n"), false); }).message(), HasSubstr("twice.tsv:2"));
  // Texts may have the names of columns as their ids.
  const ParaphraseData named = read_paraphrase_files(folder.write("t.tsv", "id1\ta\nid2\tb\n"), folder.write("d.tsv", "id1\tid2\n"), false);
  EXPECT_EQ(named.paraphrases.count(), 1);
}

}  // namespace
}  // namespace contrastive::eval
