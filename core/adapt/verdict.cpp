#include "core/adapt/verdict.h"

#include <algorithm>
#include <iomanip>
#include <locale>
#include <numeric>
#include <sstream>
#include <vector>

#include "core/base/error.h"

namespace contrastive::adapt {
namespace {

std::vector<double> differences(const std::vector<double>& before,
                                const std::vector<double>& after) {
  check(before.size() == after.size() && !before.empty(), Status::kInternal,
        "a model was tested with ", before.size(), " queries, the other with ", after.size());
  std::vector<double> result(before.size());
  for (size_t i = 0; i < before.size(); ++i) result[i] = after[i] - before[i];
  return result;
}

std::string digits(double value, bool sign) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  if (sign) out << std::showpos;
  out << std::fixed << std::setprecision(4) << value;
  return out.str();
}

Json rank(int64_t value) { return value > 0 ? Json(value) : Json(); }

}  // namespace

Json Verdict::figures(const SearchFigures& before, const SearchFigures& after) const {
  Json json = Json::object();
  for (size_t i = 0; i < gains.size(); ++i) {
    json[kSearchMetrics[i]] = {{"before", before.mean(i)},
                               {"after", after.mean(i)},
                               {"gain", gains[i].mean},
                               {"low", gains[i].low},
                               {"high", gains[i].high},
                               {"significant", gains[i].excludes_zero()}};
  }
  return json;
}

Verdict decide(const SearchFigures& before, const SearchFigures& after, const AdaptOptions& options,
               const Cancel* cancel) {
  Verdict verdict;
  const eval::BootstrapOptions bootstrap{options.resamples, options.confidence, options.seed};
  std::vector<std::vector<double>> all;
  for (size_t i = 0; i < verdict.gains.size(); ++i)
    all.push_back(differences(before.values[i], after.values[i]));
  const std::vector<eval::Interval> gains = eval::paired_bootstrap(all, bootstrap, cancel);
  std::copy(gains.begin(), gains.end(), verdict.gains.begin());
  const size_t metric = options.metric_number();
  const eval::Interval& gain = verdict.gains[metric];
  const std::string told =
      cat(options.metric, " went from ", digits(before.mean(metric), false), " to ",
          digits(after.mean(metric), false), ", a gain of ", digits(gain.mean, true), " (",
          100 * options.confidence, " % interval ", digits(gain.low, true), " to ",
          digits(gain.high, true), ")");
  verdict.ship = gain.mean > 0 && gain.mean >= options.min_gain &&
                 (!options.require_significant || gain.low > 0);
  if (verdict.ship)
    verdict.reason = cat(told, gain.low > 0 ? "" : ", which may be chance: the interval holds 0");
  else if (gain.mean <= 0) verdict.reason = cat(told, ": the model did not get better");
  else if (gain.mean < options.min_gain)
    verdict.reason = cat(told, ", below min_gain = ", options.min_gain);
  else
    verdict.reason =
        cat(told, ", which may be chance: the interval holds 0, and require_significant is true");
  return verdict;
}

Json best_and_worst(const SearchTest& test, const SearchFigures& before, const SearchFigures& after,
                    size_t metric, int64_t count) {
  const std::vector<double> gains = differences(before.values[metric], after.values[metric]);
  std::vector<size_t> order(gains.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return gains[a] > gains[b]; });
  const auto shown = [&](size_t number) {
    const auto query = static_cast<int64_t>(number);
    Json answers = Json::array();
    for (const int64_t answer : test.answers(query)) {
      if (answers.size() < 3) answers.push_back(test.document(answer));
    }
    return Json({{"query", test.query(query)},
                 {"answers", std::move(answers)},
                 {"gain", gains[number]},
                 {"rank_before", rank(before.ranks[number])},
                 {"rank_after", rank(after.ranks[number])},
                 {"first_before", test.document(before.firsts[number])},
                 {"first_after", test.document(after.firsts[number])}});
  };
  Json better = Json::array(), worse = Json::array();
  for (auto at = order.begin();
       at != order.end() && static_cast<int64_t>(better.size()) < count && gains[*at] > 0; ++at)
    better.push_back(shown(*at));
  for (auto at = order.rbegin();
       at != order.rend() && static_cast<int64_t>(worse.size()) < count && gains[*at] < 0; ++at)
    worse.push_back(shown(*at));
  const auto above = [&](double sign) {
    return std::count_if(gains.begin(), gains.end(), [&](double gain) { return gain * sign > 0; });
  };
  return {{"better_queries", above(1)},
          {"worse_queries", above(-1)},
          {"better", better},
          {"worse", worse}};
}

}  // namespace contrastive::adapt
