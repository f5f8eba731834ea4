#include "core/mining/reranker_guide.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/mining/progress_log.h"

namespace contrastive::mining {
namespace {

constexpr size_t kPairsAtOnce = 2048;  // whose texts are in memory

}  // namespace

RerankerGuide::RerankerGuide(std::shared_ptr<const model::CrossEncoder> reranker, const MiningOptions& options) : reranker_(std::move(reranker)) {
  const int64_t labels = reranker_->label_count();
  check(labels == 1, Status::kArgument, "mining: the guide is a reranker with ", labels, " labels: one that gives a single score is needed");
  check(options.guide_document_prompt.empty(), Status::kArgument,
        "config key 'guide_document_prompt' is set, but the guide is a reranker, which has a prompt before the query alone: set guide_query_prompt");
  if (!options.guide_query_prompt.empty()) options_.prompt = options.guide_query_prompt;
  reranker_->check_options(options_);
}

void RerankerGuide::score(const TextTable& queries, const TextTable& documents, const std::vector<GuideQuestion>& questions, const Cancel* cancel) {
  model::ScoreOptions options = options_;
  options.cancel = cancel;
  int64_t total = 0, done = 0;
  for (const GuideQuestion& question : questions) total += static_cast<int64_t>(question.documents.size());
  ProgressLog progress(total, "pairs scored by the guide");
  std::vector<std::string> asking, asked;
  std::vector<float*> places;
  std::vector<float> scores;
  const auto flush = [&] {
    std::vector<model::TextPair> pairs;
    for (size_t i = 0; i < asked.size(); ++i) pairs.push_back({asking[i], asked[i]});
    scores.resize(pairs.size());
    reranker_->score(pairs, options, scores.data());
    for (size_t i = 0; i < places.size(); ++i) *places[i] = scores[i];
    done += static_cast<int64_t>(pairs.size());
    progress.at(done);
    asking.clear();
    asked.clear();
    places.clear();
  };
  for (const GuideQuestion& question : questions) {
    const std::string query = queries.text(question.query);
    for (size_t i = 0; i < question.documents.size(); ++i) {
      asking.push_back(query);
      asked.push_back(documents.text(question.documents[i]));
      places.push_back(question.scores + i);
      if (asked.size() == kPairsAtOnce) flush();
    }
  }
  if (!asked.empty()) flush();
}

}  // namespace contrastive::mining
