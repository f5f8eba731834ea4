#include "core/eval/sts/sts.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/eval/correlation.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

namespace fs = std::filesystem;

StsSubset read_subset(const fs::path& path) {
  StsSubset subset;
  subset.name = path.stem().string();
  read_tsv(path.string(), 3, [&](const TsvRow& row) {
    if (row.fields[0].empty()) {
      ++subset.unscored;
      return;
    }
    subset.gold.push_back(parse_number(row.fields[0], row.where, "score"));
    subset.first.emplace_back(row.fields[1]);
    subset.second.emplace_back(row.fields[2]);
  });
  check(!subset.gold.empty(), Status::kFormat, path.string(), ": none of its pairs has a score");
  if (subset.unscored > 0) log_warning(path.string(), ": ", subset.unscored, " pairs without a score are left out");
  return subset;
}

Json number(double value) { return std::isnan(value) ? Json() : Json(value); }

Json numbers(const StsReport& report, double Correlation::*which) {
  return {{"all", number(report.all.*which)}, {"mean", number(report.mean.*which)}, {"wmean", number(report.wmean.*which)}};
}

// Means over the subsets where the value is defined; NaN where it is defined nowhere.
void average(StsReport& report, double Correlation::*which) {
  double sum = 0, weighted = 0, subsets = 0, pairs = 0;
  for (const StsReport::Subset& subset : report.subsets) {
    const double value = subset.correlation.*which, n = static_cast<double>(subset.pairs);
    if (std::isnan(value)) continue;
    sum += value;
    weighted += value * n;
    subsets += 1;
    pairs += n;
  }
  report.mean.*which = sum / subsets;  // 0 / 0 is the NaN that is wanted
  report.wmean.*which = weighted / pairs;
}

}  // namespace

std::vector<StsSubset> read_sts(const std::string& path) {
  check(path_exists(path), Status::kNotFound, path, ": no such file or folder");
  if (!is_directory(path)) return {read_subset(path)};
  std::vector<fs::path> files;
  for (const fs::directory_entry& entry : fs::directory_iterator(path)) {
    if (entry.path().extension() == ".tsv") files.push_back(entry.path());
  }
  check(!files.empty(), Status::kNotFound, path, ": no file in it ends in .tsv (subfolders are not searched)");
  std::sort(files.begin(), files.end());
  std::vector<StsSubset> subsets;
  for (const fs::path& file : files) subsets.push_back(read_subset(file));
  return subsets;
}

StsReport correlate_sts(const std::vector<StsSubset>& subsets, const std::vector<std::vector<double>>& predictions) {
  check(subsets.size() == predictions.size(), Status::kMismatch, "predictions for ", predictions.size(), " of ", subsets.size(), " subsets");
  StsReport report;
  std::vector<double> all_gold, all_predictions;
  for (size_t i = 0; i < subsets.size(); ++i) {
    const StsSubset& subset = subsets[i];
    const Correlation found{spearman(predictions[i], subset.gold), pearson(predictions[i], subset.gold)};
    if (std::isnan(found.spearman) || std::isnan(found.pearson)) {
      log_warning("subset '", subset.name, "' has no correlation (its scores or its similarities are constant): left out of the means");
    }
    report.subsets.push_back({subset.name, static_cast<int64_t>(subset.gold.size()), subset.unscored, found});
    all_gold.insert(all_gold.end(), subset.gold.begin(), subset.gold.end());
    all_predictions.insert(all_predictions.end(), predictions[i].begin(), predictions[i].end());
  }
  report.all = {spearman(all_predictions, all_gold), pearson(all_predictions, all_gold)};
  average(report, &Correlation::spearman);
  average(report, &Correlation::pearson);
  return report;
}

StsReport evaluate_sts(const std::vector<StsSubset>& subsets, const TextEncoder& encoder, retrieval::Metric metric) {
  DistinctTexts texts;
  std::vector<std::vector<std::pair<int64_t, int64_t>>> pairs;  // numbers of both texts, subset by subset
  for (const StsSubset& subset : subsets) {
    auto& numbered = pairs.emplace_back();
    for (size_t i = 0; i < subset.gold.size(); ++i) numbered.emplace_back(texts.add(subset.first[i]), texts.add(subset.second[i]));
  }
  const std::vector<float> embeddings = texts.encode(encoder);
  std::vector<std::vector<double>> predictions;
  for (const auto& numbered : pairs) {
    auto& scores = predictions.emplace_back();
    for (const auto& [first, second] : numbered) {
      float score = 0;
      const float *a = &embeddings[first * encoder.dimension], *b = &embeddings[second * encoder.dimension];
      // Rounded to float32 from double: equal texts have a cosine of exactly 1, so that they tie.
      retrieval::pairwise_similarity(a, b, 1, encoder.dimension, metric, &score);
      scores.push_back(score);
    }
  }
  return correlate_sts(subsets, predictions);
}

Json StsReport::to_json() const {
  Json json = {{"spearman", numbers(*this, &Correlation::spearman)}, {"pearson", numbers(*this, &Correlation::pearson)}, {"subsets", Json::object()}};
  for (const Subset& subset : subsets) {
    json["subsets"][subset.name] = {{"pairs", subset.pairs},
                                    {"unscored", subset.unscored},
                                    {"spearman", number(subset.correlation.spearman)},
                                    {"pearson", number(subset.correlation.pearson)}};
  }
  return json;
}

}  // namespace contrastive::eval
