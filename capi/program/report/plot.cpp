#include "capi/program/report/plot.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"

namespace contrastive::cli::report {
namespace {

constexpr double kLabelHeight = 14;  // of a line of it
constexpr size_t kColours = 6;

}  // namespace

std::string colour_class(size_t index) {
  const size_t dashes = index / kColours % 3;
  return "c" + std::to_string(index % kColours) +
         (dashes > 0 ? " dash" + std::to_string(dashes) : "");
}

Plot::Plot(const PlotText& text, Size size, Axis x, Axis y, double room)
    : svg_(size.width, size.height, text.description), x_(std::move(x)), y_(std::move(y)) {
  left_ = std::max(30.0, y_.label_width() * kDigit + 12);
  right_ = size.width - std::max(14.0, room * kDigit + 12);
  top_ = 26;
  bottom_ = size.height - 38;
  draw_frame(text);
}

void Plot::draw_frame(const PlotText& text) {
  for (const Tick& tick : y_.ticks()) {
    svg_.element("line", {{"class", "grid"},
                          {"x1", left_},
                          {"x2", right_},
                          {"y1", py(tick.value)},
                          {"y2", py(tick.value)}});
    svg_.text(left_ - 7, py(tick.value) + 4, tick.label,
              {{"class", "tick"}, {"text-anchor", "end"}});
  }
  double free_from = -1e9;  // a label that would touch the one before is left out
  for (const Tick& tick : x_.ticks()) {
    const double at = px(tick.value), half = display_width(tick.label) * kDigit / 2;
    svg_.element("line",
                 {{"class", "axis"}, {"x1", at}, {"x2", at}, {"y1", bottom_}, {"y2", bottom_ + 4}});
    if (at - half < free_from) continue;
    svg_.text(at, bottom_ + 17, tick.label, {{"class", "tick"}, {"text-anchor", "middle"}});
    free_from = at + half + 8;
  }
  svg_.element(
      "line", {{"class", "axis"}, {"x1", left_}, {"x2", right_}, {"y1", bottom_}, {"y2", bottom_}});
  svg_.text(0, 12, text.y, {{"class", "name"}});
  svg_.text(right_, bottom_ + 33, text.x, {{"class", "name"}, {"text-anchor", "end"}});
}

bool Plot::shows(double x, double y) const {
  return std::isfinite(x) && std::isfinite(y) && (!y_.is_logarithmic() || y > 0);
}

void Plot::line(const Series& series, const std::string& css, const std::string& tooltip) {
  PathData path;
  for (size_t i = 0; i < series.size(); ++i) {
    if (!shows(series.x[i], series.y[i])) continue;
    const bool begins = i == 0 || !shows(series.x[i - 1], series.y[i - 1]);
    const bool ends = i + 1 == series.size() || !shows(series.x[i + 1], series.y[i + 1]);
    const double x = px(series.x[i]), y = py(series.y[i]);
    if (begins && ends) {
      path.dot(x, y);  // alone between two gaps
    } else if (begins) {
      path.move(x, y);
    } else {
      path.line(x, y);
    }
  }
  if (!path.empty()) svg_.element("path", {{"class", "line " + css}, {"d", path.text()}}, tooltip);
}

void Plot::band(const Band& band, const std::string& css) {
  PathData path;
  for (size_t first = 0; first < band.x.size();) {
    size_t last = first;
    while (last < band.x.size() && shows(band.x[last], band.low[last])) ++last;
    for (size_t i = first; i < last; ++i) {
      const double x = px(band.x[i]), y = py(band.high[i]);
      i == first ? path.move(x, y) : path.line(x, y);
    }
    for (size_t i = last; i-- > first;) path.line(px(band.x[i]), py(band.low[i]));
    if (last > first) path.close();
    first = last + 1;
  }
  if (!path.empty()) svg_.element("path", {{"class", "band " + css}, {"d", path.text()}});
}

void Plot::dots(const Series& points, const std::string& css) {
  PathData path;
  for (size_t i = 0; i < points.size(); ++i) {
    if (shows(points.x[i], points.y[i])) path.dot(px(points.x[i]), py(points.y[i]));
  }
  if (!path.empty()) svg_.element("path", {{"class", "dots " + css}, {"d", path.text()}});
}

void Plot::marker(double x, double y, const std::string& css, const std::string& tooltip) {
  if (shows(x, y))
    svg_.element("circle", {{"class", "marker " + css}, {"cx", px(x)}, {"cy", py(y)}, {"r", "4"}},
                 tooltip);
}

void Plot::ring(double x, double y, const std::string& css) {
  if (shows(x, y))
    svg_.element("circle", {{"class", "ring " + css}, {"cx", px(x)}, {"cy", py(y)}, {"r", "7.5"}});
}

bool Plot::is_free(const Box& box) const {
  if (box.left < left_ || box.right > right_ || box.level < top_ + 4 || box.level > bottom_ - 2)
    return false;
  return std::none_of(labels_.begin(), labels_.end(), [&](const Box& other) {
    return box.left < other.right && other.left < box.right &&
           std::fabs(box.level - other.level) < kLabelHeight - 1;
  });
}

void Plot::label(double x, double y, const std::string& text, const std::string& css, Side side) {
  if (!shows(x, y)) return;
  const double width = display_width(text) * kDigit, at = px(x), level = py(y) + 4;
  const Box right{at + 11, at + 11 + width, level}, left{at - 11 - width, at - 11, level};
  const Box above{at - width / 2, at + width / 2, level - 18},
      below{at - width / 2, at + width / 2, level + 18};
  std::vector<Box> places = side == Side::kAbove ? std::vector<Box>{above, right, left, below}
                                                 : std::vector<Box>{right, left, above, below};
  for (int lines = 1; lines <= 6; ++lines) {
    for (const double shift : {-kLabelHeight * lines, kLabelHeight * lines})
      places.push_back({right.left, right.right, level + shift});
  }
  const auto free =
      std::find_if(places.begin(), places.end(), [this](const Box& box) { return is_free(box); });
  const Box box = free == places.end() ? places[0] : *free;
  labels_.push_back(box);
  svg_.text(box.left, box.level, text, {{"class", "label " + css}});
}

void Plot::rule(double x, const std::string& text) {
  svg_.element(
      "line", {{"class", "rule"}, {"x1", px(x)}, {"x2", px(x)}, {"y1", top_ - 6}, {"y2", bottom_}});
  svg_.text(px(x) + 5, top_ + 3, text, {{"class", "tick"}});
}

void Plot::end_labels(std::vector<EndLabel> labels) {
  labels.erase(std::remove_if(labels.begin(), labels.end(),
                              [&](const EndLabel& label) { return !shows(0, label.value); }),
               labels.end());
  if (labels.empty()) return;
  std::stable_sort(labels.begin(), labels.end(),
                   [](const EndLabel& a, const EndLabel& b) { return a.value > b.value; });
  const auto count = static_cast<double>(labels.size());
  const double step = std::min(kLabelHeight, (bottom_ - top_ + kLabelHeight) / count);
  std::vector<double> level;
  for (const EndLabel& label : labels)
    level.push_back(std::max(py(label.value), level.empty() ? top_ : level.back() + step));
  double lowest = bottom_;
  for (size_t i = level.size(); i-- > 0; lowest = level[i] - step)
    level[i] = std::min(level[i], lowest);
  for (size_t i = 0; i < labels.size(); ++i)
    svg_.text(right_ + 8, level[i] + 4, labels[i].text, {{"class", "label " + labels[i].css}});
}

}  // namespace contrastive::cli::report
