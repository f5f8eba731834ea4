#include "core/eval/retrieval/pairs.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/eval/figures.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kPairsAtOnce = 4096;  // gathered into adjacent rows

}  // namespace

LabelledPairs read_labelled_pairs(const std::string& path) {
  LabelledPairs pairs;
  read_tsv(path, 3, [&](const TsvRow& row) {
    check(row.fields[0] == "0" || row.fields[0] == "1", Status::kFormat, row.where, ": label '",
          row.fields[0].substr(0, 40),
          "': 0 or 1 is needed; the columns are label, text, text, without a header");
    pairs.positive.push_back(row.fields[0] == "1");
    pairs.first.emplace_back(row.fields[1]);
    pairs.second.emplace_back(row.fields[2]);
  });
  return pairs;
}

std::vector<float> pair_similarities(const std::vector<float>& embeddings, int64_t d,
                                     const std::vector<std::pair<int64_t, int64_t>>& pairs,
                                     retrieval::Metric metric) {
  const auto n = static_cast<int64_t>(pairs.size());
  std::vector<float> scores(n), a, b;
  for (int64_t first = 0; first < n; first += kPairsAtOnce) {
    const int64_t count = std::min(kPairsAtOnce, n - first);
    a.resize(count * d);
    b.resize(count * d);
    for (int64_t i = 0; i < count; ++i) {
      std::copy_n(&embeddings[pairs[first + i].first * d], d, &a[i * d]);
      std::copy_n(&embeddings[pairs[first + i].second * d], d, &b[i * d]);
    }
    retrieval::pairwise_similarity(a.data(), b.data(), count, d, metric, &scores[first]);
  }
  return scores;
}

PairsReport evaluate_pairs(const LabelledPairs& pairs, const TextEncoder& encoder) {
  check(!pairs.positive.empty(), Status::kArgument, "no pairs");
  DistinctTexts texts;
  std::vector<std::pair<int64_t, int64_t>> numbered;
  for (size_t i = 0; i < pairs.positive.size(); ++i) {
    const int64_t first = texts.add(pairs.first[i]);
    numbered.emplace_back(first, texts.add(pairs.second[i]));
  }
  const std::vector<float> embeddings = texts.encode(encoder);
  PairsReport report;
  report.pairs = static_cast<int64_t>(numbered.size());
  report.positives = std::count(pairs.positive.begin(), pairs.positive.end(), true);
  for (const auto& [name, metric] : retrieval::metric_names()) {
    const std::vector<float> scores =
        pair_similarities(embeddings, encoder.dimension, numbered, metric);
    std::vector<Scored> scored;
    for (size_t i = 0; i < scores.size(); ++i) scored.push_back({scores[i], pairs.positive[i]});
    PairsReport::OfMetric figures{name, best_accuracy(scored), best_f1(scored, report.positives)};
    figures.matthews =
        report.positives == 0 ? figures.f1.f1 : matthews_at(scored, figures.f1.threshold);
    report.metrics.push_back(figures);
  }
  return report;
}

Json PairsReport::to_json() const {
  Json json = {{"pairs", pairs}, {"positives", positives}};
  for (const OfMetric& one : metrics) {
    json[one.name] = {{"accuracy", number_or_null(one.accuracy.accuracy)},
                      {"accuracy_threshold", number_or_null(one.accuracy.threshold)},
                      {"f1", number_or_null(one.f1.f1)},
                      {"f1_threshold", number_or_null(one.f1.threshold)},
                      {"precision", number_or_null(one.f1.precision)},
                      {"recall", number_or_null(one.f1.recall)},
                      {"average_precision", number_or_null(one.f1.average_precision)},
                      {"mcc", number_or_null(one.matthews)}};
  }
  return json;
}

}  // namespace contrastive::eval
