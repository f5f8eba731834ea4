#include "core/eval/geometry/tsne_points.h"

#include <algorithm>
#include <limits>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/sample.h"
#include "core/eval/lines.h"
#include "core/eval/sts/sts.h"

namespace contrastive::eval {
namespace {

// Adds the drawn pairs with this score.
void add_pairs(const std::vector<StsSubset>& subsets, double score, int64_t count, Rng rng,
               const std::string& data, TsnePoints& to) {
  std::vector<std::pair<const StsSubset*, size_t>> found;
  std::vector<int64_t> numbers;
  int64_t number = 0;
  double lowest = std::numeric_limits<double>::infinity(), highest = -lowest;
  for (const StsSubset& subset : subsets) {
    for (size_t i = 0; i < subset.gold.size(); ++i) {
      ++number;
      lowest = std::min(lowest, subset.gold[i]);
      highest = std::max(highest, subset.gold[i]);
      if (subset.gold[i] != score) continue;
      found.emplace_back(&subset, i);
      numbers.push_back(number);
    }
  }
  check(!found.empty(), Status::kNotFound, data, ": no pair has a score of ", score,
        "; the scores go from ", lowest, " to ", highest);
  const auto there = static_cast<int64_t>(found.size());
  if (there < count)
    log_warning(data, ": only ", there, " pairs have a score of ", score, ", not ", count);
  for (int64_t chosen : choose(there, count, rng)) {
    const auto& [subset, i] = found[chosen];
    to.points.push_back({numbers[chosen], "a", score, "", subset->first[i]});
    to.points.push_back({numbers[chosen], "b", score, "", subset->second[i]});
  }
}

}  // namespace

TsnePoints choose_pairs(const std::string& data, StsSplit split, double high, double low,
                        int64_t pairs, int64_t seed) {
  check(high != low, Status::kArgument, "high and low are both ", high,
        ": two different scores are needed");
  const std::vector<StsSubset> subsets = read_sts(data, split);
  TsnePoints points;
  points.pairs = true;
  add_pairs(subsets, high, pairs, Rng(static_cast<uint64_t>(seed), Purpose::kSubset, 0), data,
            points);
  add_pairs(subsets, low, pairs, Rng(static_cast<uint64_t>(seed), Purpose::kSubset, 1), data,
            points);
  return points;
}

TsnePoints read_points(const std::string& path, int64_t most, int64_t seed) {
  TsnePoints points;
  std::vector<int64_t> chosen;
  if (most > 0) {
    int64_t lines = 0;
    for_each_line(path, [&](const TextLine&) { ++lines; });
    Rng rng(static_cast<uint64_t>(seed), Purpose::kSubset);
    chosen = choose(lines, most, rng);
  }
  bool labelled = false;
  int64_t number = 0;
  for_each_line(path, [&](const TextLine& line) {
    ++number;
    check(most > 0 || number <= kMaxTsnePoints, Status::kLimit, line.where,
          ": t-SNE takes at most ", kMaxTsnePoints, " texts; set points to draw that many of them");
    const auto tabs = std::count(line.text.begin(), line.text.end(), '\t');
    if (number == 1) labelled = tabs == 1;
    check(tabs == (labelled ? 1 : 0), Status::kFormat, line.where, ": ", tabs + 1,
          " tab separated columns; a text, or a label and a text, are needed on every line alike");
    if (most > 0 && !std::binary_search(chosen.begin(), chosen.end(), number - 1)) return;
    const size_t text = labelled ? line.text.find('\t') + 1 : 0;
    points.points.push_back({number, "", 0,
                             std::string(line.text.substr(0, labelled ? text - 1 : 0)),
                             std::string(line.text.substr(text))});
  });
  check(!points.points.empty(), Status::kFormat, path, ": no line in it");
  return points;
}

Json TsnePoints::to_json(const TsneResult& places) const {
  Json list = Json::array();
  for (size_t i = 0; i < points.size(); ++i) {
    const TsnePoint& point = points[i];
    Json row = pairs ? Json{{"pair", point.number}, {"side", point.side}, {"gold", point.gold}}
                     : Json{{"row", point.number}, {"label", point.label}};
    row["x"] = places.x[i];
    row["y"] = places.y[i];
    list.push_back(std::move(row));
  }
  return {{"points", std::move(list)}, {"kl", places.kl}, {"perplexity", places.perplexity}};
}

std::string TsnePoints::to_tsv(const TsneResult& places) const {
  std::string lines;
  for (size_t i = 0; i < points.size(); ++i) {
    const TsnePoint& point = points[i];
    lines += pairs ? cat(point.number, '\t', point.side, '\t', point.gold)
                   : cat(point.number, '\t', point.label);
    lines += cat('\t', places.x[i], '\t', places.y[i], '\n');
  }
  return lines;
}

}  // namespace contrastive::eval
