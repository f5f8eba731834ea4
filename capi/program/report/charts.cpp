#include "capi/program/report/charts.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

constexpr size_t kScoreParts = 10;    // of the range of human scores, each with its mean cosine
constexpr size_t kLongestText = 400;  // bytes of a text next to the heat map

Series mean_by_score(const ScoredPairs& pairs) {
  struct Part {
    double gold = 0, cosine = 0, count = 0;
  };
  const Extent gold = extent_of(pairs.gold);
  std::vector<Part> parts(kScoreParts);
  for (size_t i = 0; i < pairs.gold.size(); ++i) {
    const double place =
        (pairs.gold[i] - gold.low) / std::max(gold.high - gold.low, 1e-12) * kScoreParts;
    Part& part = parts[std::min(kScoreParts - 1, static_cast<size_t>(std::max(place, 0.0)))];
    part.gold += pairs.gold[i];
    part.cosine += pairs.cosine[i];
    ++part.count;
  }
  Series means;
  for (const Part& part : parts) {
    if (part.count > 0) means.add(part.gold / part.count, part.cosine / part.count);
  }
  return means;
}

}  // namespace

std::string description(const std::vector<PlanePath>& paths) {
  std::string text = "Alignment over uniformity; lower is better on both axes.";
  for (const PlanePath& path : paths) {
    text += " " + path.last.label + ": uniformity " + compact(path.last.uniformity) +
            ", alignment " + compact(path.last.alignment) + ".";
  }
  return text;
}

Json data_of(const std::vector<PlanePath>& paths) {
  Json all = Json::array();
  for (const PlanePath& path : paths) {
    Series course = path.course;
    if (course.size() == 0) course.add(path.last.uniformity, path.last.alignment);
    all.push_back({{"label", path.last.label},
                   {"colour", path.last.colour},
                   {"x", rounded(course.x)},
                   {"y", rounded(course.y)}});
  }
  return {{"type", "plane"},
          {"x", "uniformity (lower: spread out)"},
          {"y", "alignment (lower: positives close)"},
          {"paths", std::move(all)}};
}

std::string description(const ScorePlot& plot) {
  return "Cosine over human score for " +
         counted(static_cast<int64_t>(plot.pairs.gold.size()), "pair") + ", " + plot.name + ".";
}

Json data_of(const ScorePlot& plot) {
  const Series mean = mean_by_score(plot.pairs);
  return {{"type", "scores"},
          {"x", "human score"},
          {"y", "cosine"},
          {"colour", plot.colour},
          {"lowest", plot.lowest_cosine},
          {"pairs", {{"x", rounded(plot.pairs.gold)}, {"y", rounded(plot.pairs.cosine)}}},
          {"mean", {{"x", rounded(mean.x)}, {"y", rounded(mean.y)}}}};
}

std::string description(const PairMap& map) {
  return "t-SNE map of the two texts of " +
         counted(static_cast<int64_t>(map.pairs.size()), "pair") + ", " + map.name + ".";
}

Json data_of(const PairMap& map) {
  Json pairs = Json::array();
  for (const MapPair& pair : map.pairs) {
    if (std::isfinite(pair.x[0] + pair.x[1] + pair.y[0] + pair.y[1]))
      pairs.push_back(rounded({pair.x[0], pair.y[0], pair.x[1], pair.y[1], pair.gold}));
  }
  return {{"type", "map"}, {"middle", map.middle}, {"pairs", std::move(pairs)}};
}

std::string description(const HeatMap& map) {
  const size_t n = map.texts.size();
  std::vector<double> others;
  for (size_t i = 0; i < n * n; ++i) {
    if (i / n != i % n) others.push_back(map.cosines[i]);
  }
  const Extent extent = extent_of(others);
  return "Heat map of the cosines of " + counted(static_cast<int64_t>(n), "text") + ", " +
         map.name + ": between different texts from " + compact(extent.low) + " to " +
         compact(extent.high) + ".";
}

Json data_of(const HeatMap& map) {
  const auto n = static_cast<std::ptrdiff_t>(map.texts.size());
  Json texts = Json::array(), rows = Json::array();
  for (const std::string& text : map.texts) texts.push_back(excerpt(text, kLongestText));
  for (auto row = map.cosines.begin(); row != map.cosines.end(); row += n)
    rows.push_back(rounded({row, row + n}));
  return {{"type", "heat"}, {"texts", std::move(texts)}, {"cosines", std::move(rows)}};
}

}  // namespace contrastive::cli::report
