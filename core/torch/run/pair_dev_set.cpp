#include "core/torch/run/pair_dev_set.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <utility>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/dataset.h"
#include "core/data/line_reader.h"
#include "core/data/record_parsers.h"
#include "core/eval/correlation.h"
#include "core/eval/retrieval/retrieval_metrics.h"
#include "core/eval/sts/sts.h"

namespace contrastive::run {
namespace {

constexpr size_t kPairsAtOnce = 4096;
constexpr int64_t kLooked = 10;  // ranks that count for NDCG, as sentence-transformers'
                                 // CrossEncoderRerankingEvaluator has it

// Row by row, with a look at `cancel` between blocks.
std::vector<float> scores_of(const std::vector<model::TextPair>& pairs, const PairScorer& scorer,
                             const Cancel* cancel) {
  const auto labels = static_cast<size_t>(scorer.labels);
  std::vector<float> scores(pairs.size() * labels);
  for (size_t first = 0; first < pairs.size(); first += kPairsAtOnce) {
    throw_if_cancelled(cancel);
    const size_t last = std::min(pairs.size(), first + kPairsAtOnce);
    scorer.score({pairs.begin() + static_cast<std::ptrdiff_t>(first),
                  pairs.begin() + static_cast<std::ptrdiff_t>(last)},
                 &scores[first * labels]);
  }
  return scores;
}

// Pairs with gold scores: their correlation with the model's, or with classes the share of pairs
// that get the right one.
class GoldPairsDev : public DevSet {
 public:
  GoldPairsDev(const std::string& path, bool classes)
      : subsets_(eval::read_sts(path, eval::StsSplit::kPreferDev)), classes_(classes) {
    for (const eval::StsSubset& subset : subsets_) {
      gold_.insert(gold_.end(), subset.gold.begin(), subset.gold.end());
      for (size_t i = 0; i < subset.gold.size(); ++i)
        pairs_.push_back({subset.first[i], subset.second[i]});
    }
    check(gold_.size() >= 2, Status::kFormat, path, ": ", gold_.size(),
          " scored pairs; two are needed to choose the best weights");
    const auto [low, high] = std::minmax_element(gold_.begin(), gold_.end());
    check(*low < *high, Status::kFormat, path, ": all ", gold_.size(), " pairs have the score ",
          *low, ": the best weights cannot be chosen by this file");
  }

  double score(const DevSubject& subject, const Cancel* cancel) const override {
    const PairScorer& scorer = subject.pairs();
    const std::vector<float> scores = scores_of(pairs_, scorer, cancel);
    if (!classes_) return eval::spearman({scores.begin(), scores.end()}, gold_);
    int64_t right = 0;
    const auto labels = static_cast<size_t>(scorer.labels);
    for (size_t i = 0; i < pairs_.size(); ++i) {
      const auto first = scores.begin() + static_cast<std::ptrdiff_t>(i * labels);
      const auto best = std::max_element(first, first + static_cast<std::ptrdiff_t>(labels));
      right += static_cast<double>(best - first) == gold_[i] ? 1 : 0;
    }
    return static_cast<double>(right) / static_cast<double>(pairs_.size());
  }
  const char* measure() const override { return classes_ ? "accuracy" : "spearman"; }

 private:
  std::vector<eval::StsSubset> subsets_;  // own the texts of the pairs
  std::vector<model::TextPair> pairs_;
  std::vector<double> gold_;
  bool classes_;
};

std::vector<std::string> cells_of(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == '\t') cells.emplace_back();
    else cells.back() += c;
  }
  return cells;
}

// How the lines of such a file are read: the header of a mined file, or columns query, right
// document, wrong documents; or a label in the third.
Config reading_of(const std::string& path, const std::string& first_line) {
  Config config;
  if (ends_with(path, ".jsonl") || ends_with(path, ".ndjson") || begins_with(first_line, "{"))
    return config;
  config.set_json("data.format", "tsv");
  const std::vector<std::string> cells = cells_of(first_line);
  static const std::vector<std::string> kTitles = {"anchor", "query", "sentence1", "a", "premise"};
  if (std::find(kTitles.begin(), kTitles.end(), cells[0]) != kTitles.end()) {
    config.set_json("data.header", true);
    return config;
  }
  check(cells.size() >= 3, Status::kFormat, path, ":1: ", cells.size(),
        " columns; lines are a query, a right document and wrong ones, or a query, a document and "
        "its label");
  const bool labelled = cells.size() == 3 && data::parse_number(cells[2]).has_value();
  if (labelled) return config;
  Json negatives = Json::array();
  for (size_t i = 2; i < cells.size(); ++i) negatives.push_back(std::to_string(i));
  config.set_json("data.columns", {"0", "1"});
  config.set_json("data.negatives", negatives);
  return config;
}

// Queries whose documents are sorted by their scores. Ties count against the right ones: a model
// that scores all alike must not look good.
class RerankDev : public DevSet {
 public:
  RerankDev(const std::string& path, const std::string& first_line) {
    const auto data = data::open_dataset(path, reading_of(path, first_line));
    for (int64_t i = 0; i < data->size(); ++i) {
      const data::Example example = data->get(i);
      check(example.has_b, Status::kFormat, data->where(i), ": a query without a document");
      check(example.scores.empty() || example.scores.size() == example.negatives.size() + 1,
            Status::kFormat, data->where(i), ": ", example.scores.size(), " labels for ",
            example.negatives.size() + 1, " documents");
      const auto right = [&](size_t text) {
        if (!example.scores.empty()) return example.scores[text] > 0;
        return text == 0 && (std::isnan(example.label) || example.label > 0);
      };
      add(example.a, example.b, right(0));
      for (size_t n = 0; n < example.negatives.size(); ++n)
        add(example.a, example.negatives[n], right(n + 1));
    }
    const auto useless = [](const auto& item) {
      const Documents& documents = item.second;
      return std::none_of(documents.begin(), documents.end(),
                          [](const auto& each) { return each.second; }) ||
             std::all_of(documents.begin(), documents.end(),
                         [](const auto& each) { return each.second; });
    };
    for (auto it = queries_.begin(); it != queries_.end();)
      it = useless(*it) ? queries_.erase(it) : std::next(it);
    check(!queries_.empty(), Status::kFormat, path,
          ": no query has both a right and a wrong document: the best weights cannot be chosen by "
          "this file");
    for (const auto& [query, documents] : queries_) {
      for (const auto& item : documents) pairs_.push_back({query, item.first});
    }
  }

  double score(const DevSubject& subject, const Cancel* cancel) const override {
    const std::vector<float> scores = scores_of(pairs_, subject.pairs(), cancel);
    double sum = 0;
    size_t first = 0;
    for (const auto& item : queries_) {
      std::vector<std::pair<float, bool>> ranked;
      for (const auto& document : item.second)
        ranked.emplace_back(scores[first++], document.second);
      sum += ndcg(std::move(ranked));
    }
    return sum / static_cast<double>(queries_.size());
  }
  const char* measure() const override { return "ndcg@10"; }

 private:
  using Documents = std::map<std::string, bool>;  // whether each is right

  void add(const std::string& query, const std::string& document, bool right) {
    bool& known = queries_[query][document];
    known = known || right;
  }

  static double ndcg(std::vector<std::pair<float, bool>> ranked) {
    std::sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) {
      return a.first != b.first ? a.first > b.first : !a.second && b.second;
    });
    std::vector<int64_t> order(ranked.size());
    std::iota(order.begin(), order.end(), int64_t{0});
    eval::Judgements judged;
    for (const int64_t rank : order) {
      if (ranked[static_cast<size_t>(rank)].second) judged[rank] = 1;
    }
    return eval::retrieval_metrics_of(order, judged, kLooked).ndcg;
  }

  std::map<std::string, Documents> queries_;
  std::vector<model::TextPair> pairs_;  // in the order of queries_, whose texts they are
};

bool is_number(const std::string& cell) { return data::parse_number(cell).has_value(); }

// Of STS or GLUE: a score first, or more columns than a query and its documents have, with a number
// or a score's title among them.
bool is_scored_file(const std::string& first_line) {
  static const std::vector<std::string> kTitles = {"score", "relatedness_score",
                                                   "similarity_score"};
  const std::vector<std::string> cells = cells_of(first_line);
  const auto scores = [](const std::string& cell) {
    return is_number(cell) || std::find(kTitles.begin(), kTitles.end(), cell) != kTitles.end();
  };
  return cells.size() >= 3 &&
         (scores(cells[0]) ||
          (cells.size() > 3 && std::any_of(cells.begin(), cells.end(), scores)));
}

}  // namespace

std::unique_ptr<DevSet> open_pair_dev_set(const std::string& path, DevTask task,
                                          methods::Gives gives) {
  const bool classes = gives == methods::Gives::kClasses, folder = is_directory(path);
  const std::string first = folder ? "" : data::first_line(path);
  if (task == DevTask::kAuto)
    task = folder || classes || is_scored_file(first) ? DevTask::kSts : DevTask::kRerank;
  if (task == DevTask::kSts) return std::make_unique<GoldPairsDev>(path, classes);
  check(!classes, Status::kArgument,
        "the reranker gives classes, which rank no documents: take dev_task = sts, whose measure "
        "is the accuracy");
  return std::make_unique<RerankDev>(path, first);
}

}  // namespace contrastive::run
