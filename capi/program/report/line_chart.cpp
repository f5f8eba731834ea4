#include "capi/program/report/line_chart.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr double kNameWidth = 22;   // digits of a run's name beside its line
constexpr size_t kMostBands = 3;    // more ranges than that would hide each other
constexpr double kMarkerRoom = 12;  // pixels for each marked point
constexpr double kEarlyEnd =
    0.9;  // of the x axis: a line that ends before it is named where it ends

double last_number(const Series& series) {
  for (size_t i = series.size(); i-- > 0;) {
    if (std::isfinite(series.y[i])) return series.y[i];
  }
  return std::nan("");
}

std::string describe(const LineChart& chart) {
  std::string text = "Line chart of " + chart.what + " over the updates.";
  for (const Curve& curve : chart.curves) {
    Extent extent;
    extent.add(curve.series.y);
    if (extent.empty()) continue;
    text += " " + (curve.name.empty() ? "" : curve.name + ": ") + "from " + compact(extent.low) +
            " to " + compact(extent.high) + ", at the end " + compact(last_number(curve.series)) +
            ".";
  }
  return text;
}

std::string end_text(const Curve& curve, bool wide) {
  const std::string name = wide ? shortened(curve.name, kNameWidth) : "";
  return name.empty() || name == curve.letter ? curve.letter : curve.letter + " " + name;
}

// Each stage by itself.
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

Series line_of(const LineChart& chart, const Curve& curve) {
  return chart.noisy ? smoothed_by_stage(curve, smoothing_window(curve.series.size()))
                     : curve.series;
}

void draw_curve(Plot& plot, const LineChart& chart, const Curve& curve) {
  const std::string css = colour_class(curve.colour);
  const auto columns = static_cast<size_t>(plot.columns());
  if (shows_range(chart, curve)) {
    if (curve.series.size() > columns / 2) {
      plot.band(envelope(curve.series, columns / 2), css);
    } else {
      plot.line(curve.series, css + " faint");
    }
  }
  plot.line(thinned(line_of(chart, curve), columns / 2), css + (chart.crowded ? " crowded" : ""),
            chart.crowded ? curve.name : "");
  if (chart.points && !chart.crowded &&
      static_cast<double>(curve.series.size()) * kMarkerRoom <= plot.columns()) {
    for (size_t i = 0; i < curve.series.size(); ++i) {
      plot.marker(curve.series.x[i], curve.series.y[i], css,
                  "update " + compact(curve.series.x[i]) + ": " + compact(curve.series.y[i]));
    }
  }
}

}  // namespace

size_t smoothing_window(size_t points) { return points < 40 ? 1 : points / 40 * 2 + 1; }

bool has_numbers(const LineChart& chart) {
  return std::any_of(chart.curves.begin(), chart.curves.end(),
                     [](const Curve& curve) { return std::isfinite(last_number(curve.series)); });
}

std::string draw(const LineChart& chart, Size size, bool wide) {
  Extent updates;
  std::vector<double> values;
  double room = 0;
  for (const Curve& curve : chart.curves) {
    updates.add(curve.series.x);
    const std::vector<double> shown =
        shows_range(chart, curve) ? curve.series.y : line_of(chart, curve).y;
    values.insert(values.end(), shown.begin(), shown.end());
    if (chart.curves.size() > 1 && !chart.crowded)
      room = std::max(room, display_width(end_text(curve, wide)));
  }
  if (updates.low > 0 && updates.low < 0.2 * updates.high) updates.low = 0;
  if (updates.high <= updates.low) updates = {std::max(0.0, updates.low - 1), updates.low + 1};
  const Axis x = Axis::linear(updates, size.width > 600 ? 9 : 5, false),
             y = Axis::fitting(values, 5);
  Plot plot({describe(chart), "updates", chart.y + (y.is_logarithmic() ? " (logarithmic)" : "")},
            size, x, y, room);
  for (const auto& [at, text] : chart.rules) plot.rule(at, text);
  for (const Curve& curve : chart.curves) draw_curve(plot, chart, curve);
  std::vector<EndLabel> labels;
  for (const Curve& curve : chart.curves) {
    const std::string css = colour_class(curve.colour);
    if (curve.marked_best) {
      plot.ring(curve.best_at, curve.best, css);
      const std::string text =
          "best " + compact(curve.best) + " at " + with_commas(std::llround(curve.best_at));
      const bool room = chart.curves.size() == 1 || (wide && chart.curves.size() <= kMostBands);
      if (room) plot.label(curve.best_at, curve.best, text, css, Plot::Side::kAbove);
    }
    if (chart.curves.size() == 1 || chart.crowded) continue;
    const Series line = line_of(chart, curve);
    size_t end = line.size();
    while (end > 1 && !std::isfinite(line.y[end - 1])) --end;
    if (x.at(line.x[end - 1]) < kEarlyEnd) {
      plot.label(line.x[end - 1], line.y[end - 1], end_text(curve, wide), css);
    } else {
      labels.push_back({line.y[end - 1], end_text(curve, wide), css});
    }
  }
  plot.end_labels(std::move(labels));
  return plot.finish();
}

}  // namespace contrastive::cli::report
