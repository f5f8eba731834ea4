#include "core/torch/run/pair_dev_set.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/data/line_reader.h"
#include "core/data/record_parsers.h"
#include "core/eval/correlation.h"
#include "core/eval/pair_scorer.h"
#include "core/eval/retrieval/reranking.h"
#include "core/eval/sts/sts.h"

namespace contrastive::run {
namespace {

constexpr int64_t kLooked = 10;  // ranks that count for NDCG, as in sentence-transformers'
                                 // CrossEncoderRerankingEvaluator

// Pairs with gold scores: measures their correlation with the model's scores; with classes, the
// share of pairs with the right class.
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
    const std::vector<float> scores = eval::score_pairs(pairs_, scorer, cancel);
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

// Queries whose documents are ranked by their scores.
class RerankDev : public DevSet {
 public:
  explicit RerankDev(const std::string& path)
      : lists_(eval::read_candidate_lists(path)), pairs_(eval::candidate_pairs(lists_)) {}

  double score(const DevSubject& subject, const Cancel* cancel) const override {
    const std::vector<float> scores = eval::score_pairs(pairs_, subject.pairs(), cancel);
    return eval::evaluate_reranking(lists_, scores, {kLooked}).at[0].ndcg;
  }
  const char* measure() const override { return "ndcg@10"; }

 private:
  std::vector<eval::CandidateList> lists_;  // own the texts of the pairs
  std::vector<model::TextPair> pairs_;
};

bool is_number(const std::string& cell) { return data::parse_number(cell).has_value(); }

// Whether this is a file of STS or GLUE: a score first, or more columns than a query and its
// documents have, with a number or the header of a score among them.
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
  return std::make_unique<RerankDev>(path);
}

}  // namespace contrastive::run
