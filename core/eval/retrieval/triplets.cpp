#include "core/eval/retrieval/triplets.h"

#include <cmath>

#include "core/base/error.h"
#include "core/eval/retrieval/pairs.h"
#include "core/eval/tsv.h"
#include "core/retrieval/similarity.h"

namespace contrastive::eval {

Triplets read_triplets(const std::string& path) {
  Triplets triplets;
  read_tsv(path, 3, [&](const TsvRow& row) {
    triplets.anchors.emplace_back(row.fields[0]);
    triplets.positives.emplace_back(row.fields[1]);
    triplets.negatives.emplace_back(row.fields[2]);
  });
  return triplets;
}

TripletsReport evaluate_triplets(const Triplets& triplets, const TextEncoder& encoder,
                                 double margin) {
  const size_t n = triplets.anchors.size();
  check(n > 0, Status::kArgument, "no triplets");
  DistinctTexts texts;
  std::vector<std::pair<int64_t, int64_t>> near, far;
  for (size_t i = 0; i < n; ++i) {
    const int64_t anchor = texts.add(triplets.anchors[i]);
    near.emplace_back(anchor, texts.add(triplets.positives[i]));
    far.emplace_back(anchor, texts.add(triplets.negatives[i]));
  }
  const std::vector<float> embeddings = texts.encode(encoder);
  TripletsReport report;
  report.triplets = static_cast<int64_t>(n);
  for (const auto& [name, metric] : retrieval::metric_names()) {
    const std::vector<float> to_positive =
        pair_similarities(embeddings, encoder.dimension, near, metric);
    const std::vector<float> to_negative =
        pair_similarities(embeddings, encoder.dimension, far, metric);
    int64_t right = 0;
    for (size_t i = 0; i < n; ++i) {
      check(std::isfinite(to_positive[i]) && std::isfinite(to_negative[i]), Status::kNumeric,
            "triplet ", i + 1, ": a similarity is NaN or infinite");
      right += to_positive[i] > to_negative[i] + margin ? 1 : 0;
    }
    report.accuracy.emplace_back(name, static_cast<double>(right) / static_cast<double>(n));
  }
  return report;
}

Json TripletsReport::to_json() const {
  Json json = {{"triplets", triplets}, {"accuracy", Json::object()}};
  for (const auto& [name, value] : accuracy) json["accuracy"][name] = value;
  return json;
}

}  // namespace contrastive::eval
