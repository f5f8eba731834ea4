#include "core/eval/sts/sts.h"

#include <algorithm>
#include <utility>

#include "core/base/log.h"

namespace contrastive::eval {
namespace {

// One pair in progress: where its similarity is stored, and the numbers of its texts.
struct Numbered {
  size_t subset;  // among those of all sets
  int64_t first, second;
};

struct ZeroVectors {
  int64_t vectors = 0, of = 0;
};

bool is_zero(const float* row, int64_t d) {
  return std::all_of(row, row + d, [](float x) { return x == 0; });
}

void score_part(const DistinctTexts& texts, const std::vector<Numbered>& pairs,
                const TextEncoder& encoder, retrieval::Metric metric,
                std::vector<SubsetScores>& scores, ZeroVectors& zeros) {
  const auto variants = static_cast<int64_t>(scores.size()), d = encoder.dimension / variants;
  const std::vector<float> embeddings = texts.encode(encoder);
  std::vector<uint8_t> zero(static_cast<size_t>(texts.size() * variants));
  for (size_t i = 0; i < zero.size(); ++i)
    zero[i] = is_zero(&embeddings[i * static_cast<size_t>(d)], d) ? 1 : 0;
  zeros.vectors += std::count(zero.begin(), zero.end(), 1);
  zeros.of += static_cast<int64_t>(zero.size());
  for (const Numbered& pair : pairs) {
    for (int64_t variant = 0; variant < variants; ++variant) {
      const int64_t a = pair.first * variants + variant, b = pair.second * variants + variant;
      float score = 0;
      // Rounded to float32 from double: equal texts have a cosine of exactly 1, so that they tie.
      const bool undefined =
          metric == retrieval::Metric::kCosine &&
          (zero[static_cast<size_t>(a)] != 0 || zero[static_cast<size_t>(b)] != 0);
      if (!undefined)
        retrieval::pairwise_similarity(&embeddings[a * d], &embeddings[b * d], 1, d, metric,
                                       &score);
      scores[static_cast<size_t>(variant)][pair.subset].push_back(score);
    }
  }
}

}  // namespace

std::vector<SubsetScores> score_sts(const std::vector<StsSet>& sets, const TextEncoder& encoder,
                                    int64_t variants, retrieval::Metric metric,
                                    int64_t most_bytes) {
  size_t subsets = 0;
  for (const StsSet& set : sets) subsets += set.subsets.size();
  std::vector<SubsetScores> scores(static_cast<size_t>(variants), SubsetScores(subsets));
  const int64_t most_texts = most_bytes / (static_cast<int64_t>(sizeof(float)) * encoder.dimension);
  DistinctTexts texts;
  std::vector<Numbered> pairs;
  ZeroVectors zeros;
  const auto finish_part = [&] {
    score_part(texts, pairs, encoder, metric, scores, zeros);
    texts = {};
    pairs.clear();
  };
  size_t number = 0;
  for (const StsSet& set : sets) {
    for (const StsSubset& subset : set.subsets) {
      for (size_t i = 0; i < subset.gold.size(); ++i) {
        if (!pairs.empty() && texts.size() + 2 > most_texts) finish_part();
        const int64_t first =
            texts.add(subset.first[i]);  // before the second: numbers follow the order of the pairs
        pairs.push_back({number, first, texts.add(subset.second[i])});
      }
      ++number;
    }
  }
  finish_part();
  if (zeros.vectors > 0 && metric == retrieval::Metric::kCosine) {
    log_warning(zeros.vectors, " of ", zeros.of,
                " vectors are zero: their cosine to everything is taken as 0");
  }
  return scores;
}

StsSuiteReport evaluate_sts_sets(const std::vector<StsSet>& sets, const TextEncoder& encoder,
                                 retrieval::Metric metric) {
  StsSuiteReport report = correlate_sts_sets(sets, score_sts(sets, encoder, 1, metric)[0]);
  warn_of_undefined(report);
  return report;
}

StsReport evaluate_sts(const std::vector<StsSubset>& subsets, const TextEncoder& encoder,
                       retrieval::Metric metric) {
  return evaluate_sts_sets({{"", subsets}}, encoder, metric).sets[0].second;
}

}  // namespace contrastive::eval
