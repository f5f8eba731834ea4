#include "core/adapt/search_test.h"

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/progress_report.h"
#include "core/eval/retrieval/retrieval_metrics.h"
#include "core/mining/candidates.h"
#include "core/mining/vector_table.h"

namespace contrastive::adapt {
namespace {

std::array<double, kSearchMetrics.size()> metrics_of(const std::vector<int64_t>& ranked,
                                                     const std::vector<int64_t>& answers) {
  eval::Judgements judged;
  for (const int64_t answer : answers) judged[answer] = 1;
  const eval::MetricsAtK one = eval::retrieval_metrics_of(ranked, judged, 1),
                         ten = eval::retrieval_metrics_of(ranked, judged, 10);
  return {ten.ndcg, ten.mrr, one.recall, ten.recall};
}

template <class Number>
std::vector<Number> numbers(const Json& list, const std::string& source) {
  check(list.is_array(), Status::kCorrupt, source, ": a list of numbers is missing");
  std::vector<Number> result;
  for (const Json& number : list) {
    check(number.is_number(), Status::kCorrupt, source, ": a list of numbers holds something else");
    result.push_back(number.get<Number>());
  }
  return result;
}

}  // namespace

double SearchFigures::mean(size_t metric) const {
  const std::vector<double>& all = values[metric];
  return std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
}

Json SearchFigures::to_json() const {
  Json json = {{"ranks", ranks}, {"firsts", firsts}};
  for (size_t i = 0; i < kSearchMetrics.size(); ++i) json[kSearchMetrics[i]] = values[i];
  return json;
}

SearchFigures SearchFigures::from_json(const Json& json, const std::string& source) {
  const JsonObject object(json, source);
  SearchFigures figures;
  figures.ranks = numbers<int64_t>(object.at("ranks"), source);
  figures.firsts = numbers<int64_t>(object.at("firsts"), source);
  for (size_t i = 0; i < kSearchMetrics.size(); ++i) {
    figures.values[i] = numbers<double>(object.at(kSearchMetrics[i]), source);
    check(figures.values[i].size() == figures.ranks.size() &&
              figures.firsts.size() == figures.ranks.size(),
          Status::kCorrupt, source, ": the lists have different lengths");
  }
  return figures;
}

SearchTest::SearchTest(const std::vector<AdaptPair>& test, const data::Dataset* corpus,
                       const std::vector<std::string>& positives, const Cancel* cancel)
    : queries_([&test](int64_t place) { return test[static_cast<size_t>(place)].anchor; }),
      documents_([corpus, &positives](int64_t place) {
        const int64_t rows = corpus == nullptr ? 0 : corpus->size();
        return place < rows ? corpus->get(place).a : positives[static_cast<size_t>(place - rows)];
      }) {
  const int64_t rows = corpus == nullptr ? 0 : corpus->size();
  for (int64_t i = 0; i < rows; ++i) {
    if (i % 1024 == 0) throw_if_cancelled(cancel);
    documents_.add(corpus->get(i).a, i);
  }
  for (size_t i = 0; i < positives.size(); ++i)
    documents_.add(positives[i], rows + static_cast<int64_t>(i));
  const int64_t known = documents_.size();
  for (size_t i = 0; i < test.size(); ++i) {
    const auto query = static_cast<size_t>(queries_.add(test[i].anchor, static_cast<int64_t>(i)));
    if (query == answers_.size()) answers_.emplace_back();
    const int64_t answer = documents_.add(test[i].positive, -1);
    check(answer < known, Status::kInternal, "an answer of the test is not one of the documents");
    std::vector<int64_t>& answers = answers_[query];
    if (std::find(answers.begin(), answers.end(), answer) == answers.end())
      answers.push_back(answer);
  }
}

SearchFigures SearchTest::run(const mining::MiningEncoder& encoder, const std::string& folder,
                              retrieval::Metric similarity, const Cancel* cancel) const {
  const auto store =
      mining::open_vector_store(folder, encoder.identity, encoder.documents.encoder.dimension);
  mining::VectorTable queries(encoder.queries, queries_, store),
      documents(encoder.documents, documents_, store);
  documents.embed("documents embedded", cancel);
  queries.embed("test queries embedded", cancel);
  const int64_t deepest = std::min(kDeepestRank, documents.size()),
                block = mining::queries_at_once(deepest, queries.dimension());
  SearchFigures figures;
  ProgressReport progress(cancel, queries.size(), "test queries searched", "mining");
  for (int64_t first = 0; first < queries.size(); first += block) {
    const int64_t count = std::min(block, queries.size() - first);
    std::vector<float> vectors(static_cast<size_t>(count * queries.dimension()));
    queries.copy(first, count, vectors.data());
    const mining::Candidates found =
        mining::find_candidates(vectors.data(), count, documents, deepest, similarity, cancel);
    for (int64_t i = 0; i < count; ++i) {
      const auto begin = found.documents.begin() + i * deepest;
      const std::vector<int64_t> ranked(begin, begin + deepest);
      const std::vector<int64_t>& own = answers(first + i);
      const auto hit = std::find_first_of(ranked.begin(), ranked.end(), own.begin(), own.end());
      figures.ranks.push_back(hit == ranked.end() ? 0 : hit - ranked.begin() + 1);
      figures.firsts.push_back(ranked.front());
      const auto metrics = metrics_of(ranked, own);
      for (size_t metric = 0; metric < metrics.size(); ++metric)
        figures.values[metric].push_back(metrics[metric]);
    }
    progress.at(first + count);
  }
  return figures;
}

}  // namespace contrastive::adapt
