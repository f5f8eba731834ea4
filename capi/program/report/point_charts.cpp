#include "capi/program/report/point_charts.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr size_t kMostNamedPoints = 16;  // of more a point says its name when it is pointed at
constexpr size_t kScoreParts = 10;       // of the range of human scores, each with its mean cosine

// Some room around the points, so that none lies on the frame.
Extent padded(Extent extent) {
  if (extent.empty()) return extent;
  const double room =
      std::max((extent.high - extent.low) * 0.08, std::max(std::fabs(extent.high), 1e-3) * 0.02);
  return {extent.low - room, extent.high + room};
}

Series mean_by_score(const ScoredPairs& pairs, const Extent& gold) {
  struct Part {
    double gold = 0, cosine = 0, count = 0;
  };
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

std::string draw_plane(const std::vector<PlanePath>& paths, Size size) {
  Extent x, y;
  std::string text = "Alignment over uniformity; lower is better on both axes.";
  for (const PlanePath& path : paths) {
    x.add(path.course.x), y.add(path.course.y);
    x.add(path.last.uniformity), y.add(path.last.alignment);
    text += " " + path.last.label + ": uniformity " + compact(path.last.uniformity) +
            ", alignment " + compact(path.last.alignment) + ".";
  }
  Plot plot({text, "uniformity (lower: spread out)", "alignment (lower: positives close)"}, size,
            Axis::linear(padded(x), 6, true), Axis::linear(padded(y), 5, true));
  for (const PlanePath& path : paths)
    plot.line(path.course, colour_class(path.last.colour) + " course");
  for (const PlanePath& path : paths) {
    const PlanePoint& point = path.last;
    const std::string css = colour_class(point.colour);
    if (path.course.size() > 1)
      plot.ring(path.course.x.front(), path.course.y.front(), css + " start");
    plot.marker(point.uniformity, point.alignment, css, point.label);
  }
  const bool crowded = paths.size() > kMostNamedPoints;
  for (const PlanePath& path : paths) {
    if (!crowded)
      plot.label(path.last.uniformity, path.last.alignment, path.last.label,
                 colour_class(path.last.colour));
  }
  return plot.finish();
}

std::string draw_scores(const ScorePlot& chart, Size size) {
  Extent gold, cosine;
  gold.add(chart.pairs.gold);
  cosine.add(chart.lowest_cosine);
  cosine.add(1);
  const std::string pairs = counted(static_cast<int64_t>(chart.pairs.gold.size()), "pair");
  Plot plot({"Cosine over human score for " + pairs + ", " + chart.name + ".", "human score",
             "cosine"},
            size, Axis::linear(gold, 6, true), Axis::linear(cosine, 5, true));
  const std::string css = colour_class(chart.colour);
  Series points;
  points.x = chart.pairs.gold;
  points.y = chart.pairs.cosine;
  plot.dots(points, css + (points.size() > 400 ? " many" : ""));
  plot.line(mean_by_score(chart.pairs, gold), "ink");
  return plot.finish();
}

std::string draw_map(const PairMap& map, Size size) {
  Extent x, y;
  for (const MapPair& pair : map.pairs) {
    for (int side = 0; side < 2; ++side) x.add(pair.x[side]), y.add(pair.y[side]);
  }
  Svg svg(size.width, size.height,
          "t-SNE map of the two texts of " +
              counted(static_cast<int64_t>(map.pairs.size()), "pair") + ", " + map.name + ".");
  // One scale for both axes: distances mean something, the axes do not.
  const double scale = std::min((size.width - 16) / std::max(x.high - x.low, 1e-9),
                                (size.height - 16) / std::max(y.high - y.low, 1e-9));
  const auto px = [&](double value) {
    return size.width / 2 + (value - (x.low + x.high) / 2) * scale;
  };
  const auto py = [&](double value) {
    return size.height / 2 - (value - (y.low + y.high) / 2) * scale;
  };
  struct Group {
    const char* css;
    PathData lines, dots;
  };
  Group groups[2] = {{"unlike", {}, {}}, {"alike", {}, {}}};
  for (const MapPair& pair : map.pairs) {
    if (!std::isfinite(pair.x[0] + pair.x[1] + pair.y[0] + pair.y[1])) continue;
    Group& group = groups[pair.gold > map.middle ? 1 : 0];
    group.lines.move(px(pair.x[0]), py(pair.y[0]));
    group.lines.line(px(pair.x[1]), py(pair.y[1]));
    for (int side = 0; side < 2; ++side) group.dots.dot(px(pair.x[side]), py(pair.y[side]));
  }
  svg.element("rect", {{"class", "frame"},
                       {"x", "0.5"},
                       {"y", "0.5"},
                       {"width", size.width - 1},
                       {"height", size.height - 1},
                       {"rx", "4"}});
  for (const Group& group : groups) {
    if (group.lines.empty()) continue;
    svg.element("path", {{"class", std::string("bond ") + group.css}, {"d", group.lines.text()}});
    svg.element("path", {{"class", std::string("dots ") + group.css}, {"d", group.dots.text()}});
  }
  return svg.finish();
}

}  // namespace contrastive::cli::report
