#include "core/torch/tasks/transfer/probe_features.h"

#include <cmath>

#include "core/base/checked.h"

namespace contrastive::eval {

ProbeFeatures embed_parts(const std::vector<TextColumns>& parts, const TextEncoder& encoder) {
  DistinctTexts texts;
  std::vector<std::vector<int64_t>> first, second;  // [parts][examples] numbers of texts
  int64_t pairs = 0;
  for (const TextColumns& part : parts) {
    auto& of_first = first.emplace_back();
    auto& of_second = second.emplace_back();
    for (const std::string& text : *part.first) of_first.push_back(texts.add(text));
    for (const std::string& text : *part.second) of_second.push_back(texts.add(text));
    pairs += static_cast<int64_t>(of_second.size());
  }
  const int64_t d = encoder.dimension;
  ProbeFeatures features;
  std::vector<float> embeddings = texts.encode(encoder);
  if (pairs == 0) {
    features.width = d;
    features.values = std::move(embeddings);
    for (const auto& numbers : first) {
      auto& rows = features.rows.emplace_back();
      for (const int64_t text : numbers) rows.push_back(&features.values[text * d]);
    }
    return features;
  }

  features.width = 2 * d;
  features.values.resize((Size(pairs, "number of pair features") * features.width).bytes());
  float* out = features.values.data();
  for (size_t p = 0; p < parts.size(); ++p) {
    auto& rows = features.rows.emplace_back();
    for (size_t i = 0; i < second[p].size(); ++i, out += 2 * d) {
      const float *a = &embeddings[first[p][i] * d], *b = &embeddings[second[p][i] * d];
      for (int64_t k = 0; k < d; ++k) {
        out[k] = std::abs(a[k] - b[k]);
        out[d + k] = a[k] * b[k];
      }
      rows.push_back(out);
    }
  }
  return features;
}

}  // namespace contrastive::eval
