// Curves over the updates of one or more runs.
#include <algorithm>
#include <cmath>
#include <iterator>

#include "capi/program/report/charts.h"
#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

constexpr size_t kMostPoints = 500;  // of a curve in the page
constexpr size_t kMostBands = 3;     // more ranges than that would hide each other
// An axis is logarithmic if the largest number is that many times the median.
constexpr double kSteepest = 40;

double last_number(const Series& series) {
  for (size_t i = series.size(); i-- > 0;) {
    if (std::isfinite(series.y[i])) return series.y[i];
  }
  return std::nan("");
}

// Each stage separately.
Series smoothed_by_stage(const Curve& curve, size_t window) {
  Series out;
  for (size_t first = 0; first < curve.series.size();) {
    const auto next =
        std::upper_bound(curve.breaks.begin(), curve.breaks.end(), curve.series.x[first] - 1e-9);
    size_t last = first + 1;
    while (last < curve.series.size() &&
           (next == curve.breaks.end() || curve.series.x[last] <= *next))
      ++last;
    Series stage;
    for (size_t i = first; i < last; ++i) stage.add(curve.series.x[i], curve.series.y[i]);
    const Series smooth = smoothed(stage, window);
    for (size_t i = 0; i < smooth.size(); ++i) out.add(smooth.x[i], smooth.y[i]);
    first = last;
  }
  return out;
}

bool shows_range(const LineChart& chart, const Curve& curve) {
  return chart.noisy && smoothing_window(curve.series.size()) > 1 &&
         chart.curves.size() <= kMostBands;
}

// Whether all numbers are positive and most would be flat at the bottom of a linear axis.
bool is_logarithmic(const LineChart& chart) {
  std::vector<double> values;
  for (const Curve& curve : chart.curves) {
    std::copy_if(curve.series.y.begin(), curve.series.y.end(), std::back_inserter(values),
                 [](double value) { return std::isfinite(value); });
  }
  if (values.size() < 3) return false;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *std::min_element(values.begin(), values.end()) > 0 &&
         *std::max_element(values.begin(), values.end()) > kSteepest * *middle;
}

Json curve_data(const LineChart& chart, const Curve& curve) {
  const Series line =
      thinned(chart.noisy ? smoothed_by_stage(curve, smoothing_window(curve.series.size()))
                          : curve.series,
              kMostPoints);
  Json data = {{"letter", curve.letter},
               {"name", curve.name},
               {"colour", curve.colour},
               {"x", rounded(line.x)},
               {"y", rounded(line.y)}};
  if (shows_range(chart, curve)) {
    if (curve.series.size() > kMostPoints) {
      const Band range = envelope(curve.series, kMostPoints);
      data["range"] = {{"x", rounded(range.x)},
                       {"low", rounded(range.low)},
                       {"high", rounded(range.high)}};
    } else {
      data["values"] = {{"x", rounded(curve.series.x)}, {"y", rounded(curve.series.y)}};
    }
  }
  if (curve.marked_best) data["best"] = rounded({curve.best_at, curve.best});
  return data;
}

}  // namespace

size_t smoothing_window(size_t points) { return points < 40 ? 1 : points / 40 * 2 + 1; }

bool has_numbers(const LineChart& chart) {
  return std::any_of(chart.curves.begin(), chart.curves.end(),
                     [](const Curve& curve) { return std::isfinite(last_number(curve.series)); });
}

std::string description(const LineChart& chart) {
  std::string text = "Line chart of " + chart.what + " over the updates.";
  for (const Curve& curve : chart.curves) {
    const Extent extent = extent_of(curve.series.y);
    if (extent.empty()) continue;
    text += " " + (curve.name.empty() ? "" : curve.name + ": ") + "from " + compact(extent.low) +
            " to " + compact(extent.high) + ", at the end " + compact(last_number(curve.series)) +
            ".";
  }
  return text;
}

Json data_of(const LineChart& chart) {
  const bool logarithmic = is_logarithmic(chart);
  Json curves = Json::array(), rules = Json::array();
  for (const Curve& curve : chart.curves) curves.push_back(curve_data(chart, curve));
  for (const auto& [at, text] : chart.rules) rules.push_back(Json::array({at, text}));
  return {{"type", "lines"},
          {"x", "updates"},
          {"y", chart.y + (logarithmic ? " (logarithmic)" : "")},
          {"logarithmic", logarithmic},
          {"points", chart.points},
          {"crowded", chart.crowded},
          {"curves", std::move(curves)},
          {"rules", std::move(rules)}};
}

}  // namespace contrastive::cli::report
