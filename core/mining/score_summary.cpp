#include "core/mining/score_summary.h"

#include <algorithm>
#include <cmath>

namespace contrastive::mining {
namespace {

double quantile(const std::vector<float>& sorted, double share) {
  const double place = share * static_cast<double>(sorted.size() - 1);
  const auto below = static_cast<size_t>(place);
  const double low = sorted[below], high = sorted[std::min(below + 1, sorted.size() - 1)];
  return low + (high - low) * (place - static_cast<double>(below));
}

}  // namespace

Json summary_of(std::vector<float>& scores) {
  Json json = Json::object();
  json["count"] = scores.size();
  for (const char* name : {"mean", "median", "std", "min", "q25", "q50", "q75", "max"})
    json[name] = nullptr;
  if (scores.empty()) return json;
  std::sort(scores.begin(), scores.end());
  const auto n = static_cast<double>(scores.size());
  double sum = 0, squares = 0;
  for (const float score : scores) sum += score;
  for (const float score : scores) squares += (score - sum / n) * (score - sum / n);
  json["mean"] = sum / n;
  json["median"] = scores[(scores.size() - 1) / 2];
  if (scores.size() > 1) json["std"] = std::sqrt(squares / (n - 1));
  json["min"] = scores.front();
  json["q25"] = quantile(scores, 0.25);
  json["q50"] = quantile(scores, 0.5);
  json["q75"] = quantile(scores, 0.75);
  json["max"] = scores.back();
  return json;
}

}  // namespace contrastive::mining
