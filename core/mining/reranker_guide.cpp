#include "core/mining/reranker_guide.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/progress_report.h"

namespace contrastive::mining {
namespace {

constexpr size_t kPairsAtOnce = 2048;  // whose texts are in memory
constexpr size_t kTextBytesAtOnce = size_t{16}
                                    << 20;  // of these texts together, the last pair not counted

}  // namespace

RerankerGuide::RerankerGuide(std::shared_ptr<const model::CrossEncoder> reranker,
                             const MiningOptions& options)
    : reranker_(std::move(reranker)) {
  const int64_t labels = reranker_->label_count();
  check(labels == 1, Status::kArgument, "mining: the guide is a reranker with ", labels,
        " labels: use a reranker that gives a single score");
  check(options.guide_document_prompt.empty(), Status::kArgument,
        "config key 'guide_document_prompt' is set, but the guide is a reranker, which has a "
        "prompt before the query alone: set guide_query_prompt");
  if (!options.guide_query_prompt.empty()) options_.prompt = options.guide_query_prompt;
  reranker_->check_options(options_);
}

// An error counts pairs within this block: the pair that it is about is shown instead.
void RerankerGuide::score_named(const std::vector<model::TextPair>& pairs,
                                const model::ScoreOptions& options, float* scores) const {
  try {
    reranker_->score(pairs, options, scores);
  } catch (const Error& error) {
    if (error.status() != Status::kNumeric && error.status() != Status::kFormat) throw;
    for (const model::TextPair& pair : pairs) {
      float one = 0;
      try {
        reranker_->score({pair}, options, &one);
      } catch (const Error& own) {
        fail(own.status(), "mining: the guide cannot score the query '",
             std::string(pair.first.substr(0, 60)), "' with the document '",
             std::string(pair.second.substr(0, 60)), "': ", own.message());
      }
    }
    throw;
  }
}

void RerankerGuide::score(const TextTable& queries, const TextTable& documents,
                          const std::vector<GuideQuestion>& questions, const Cancel* cancel) {
  model::ScoreOptions options = options_;
  options.cancel = cancel;
  int64_t total = 0, done = 0;
  for (const GuideQuestion& question : questions)
    total += static_cast<int64_t>(question.documents.size());
  ProgressReport progress(cancel, total, "pairs scored by the guide", "mining");
  std::vector<std::string> asking, asked;
  std::vector<float*> places;
  std::vector<float> scores;
  size_t bytes = 0;
  const auto flush = [&] {
    std::vector<model::TextPair> pairs;
    for (size_t i = 0; i < asked.size(); ++i) pairs.push_back({asking[i], asked[i]});
    scores.resize(pairs.size());
    score_named(pairs, options, scores.data());
    for (size_t i = 0; i < places.size(); ++i) *places[i] = scores[i];
    done += static_cast<int64_t>(pairs.size());
    progress.at(done);
    asking.clear();
    asked.clear();
    places.clear();
    bytes = 0;
  };
  for (const GuideQuestion& question : questions) {
    const std::string query = queries.text(question.query);
    for (size_t i = 0; i < question.documents.size(); ++i) {
      asking.push_back(query);
      asked.push_back(documents.text(question.documents[i]));
      places.push_back(question.scores + i);
      bytes += asking.back().size() + asked.back().size();
      if (asked.size() == kPairsAtOnce || bytes >= kTextBytesAtOnce) flush();
    }
  }
  if (!asked.empty()) flush();
}

}  // namespace contrastive::mining
