#include "capi/program/report/heat_map.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr double kNumberWidth = 20, kHead = 20, kLegend = 44;
constexpr double kSmallestWithNumber = 27, kLargestCell = 44, kDarkest = 0.92;

// The colour goes from nothing at 0 to full at 1, in another hue below 0, so that it means the same
// in every map and in both modes.
double shade(double cosine) { return std::clamp(std::fabs(cosine), 0.0, 1.0) * kDarkest; }
std::string opacity(double cosine) { return fixed(shade(cosine), 3); }
const char* hue(double cosine) { return cosine < 0 ? "cell minus" : "cell"; }

std::string short_number(double cosine) {
  const std::string text = fixed(cosine, 2);
  if (text == "-0.00" || text == "0.00") return "0";
  if (text == "1.00") return "1";
  return cosine < 0 ? "−" + text.substr(2) : text.substr(1);
}

// The text of a row, right-aligned to the cells in its own direction; what is too long ends in an
// ellipsis, and never reaches over the cells.
void draw_row_label(Svg& svg, const std::string& text, double y, double left, double right,
                    double height) {
  const std::string shown = shortened(text, (right - left) / kDigit);
  svg.open("svg", {{"x", left}, {"y", y}, {"width", right - left}, {"height", height}});
  Attributes attributes = {{"class", "text"}, {"text-anchor", "end"}};
  if (right_to_left(shown))
    attributes = {{"class", "text"}, {"direction", "rtl"}, {"text-anchor", "start"}};
  svg.text(right - left, height / 2 + 4, shown.empty() ? "(empty)" : shown, attributes);
  svg.close();
}

void draw_legend(Svg& svg, double x, double y, double width) {
  constexpr int kSteps = 21;
  const double step = width / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const double cosine = -1 + 2.0 * i / (kSteps - 1);
    svg.element("rect", {{"class", hue(cosine)},
                         {"x", x + i * step},
                         {"y", y},
                         {"width", step + 0.3},
                         {"height", 9.0},
                         {"fill-opacity", opacity(cosine)}});
  }
  const std::pair<double, const char*> marks[] = {{0, "−1"}, {0.5, "0"}, {1, "1"}};
  for (const auto& [place, text] : marks) {
    svg.text(x + step / 2 + place * (width - step), y + 23, text,
             {{"class", "tick"}, {"text-anchor", "middle"}});
  }
  svg.text(x + width + 8, y + 9, "cosine", {{"class", "tick"}});
}

}  // namespace

std::string draw(const HeatMap& map, double width) {
  const auto n = static_cast<double>(map.texts.size());
  const double wanted = width > 600 ? 0.42 : 0.36;  // of the width for the texts
  const double cell = std::min(kLargestCell, std::floor((width * (1 - wanted) - kNumberWidth) / n));
  const double left = width > 600 ? std::min(width - n * cell, width * 0.5) : width - n * cell,
               top = kHead;
  const double height = top + n * cell + kLegend;
  double low = 1, high = -1;
  for (size_t i = 0; i < map.texts.size(); ++i) {
    for (size_t j = 0; j < map.texts.size(); ++j) {
      if (i == j) continue;
      low = std::min<double>(low, map.cosines[i * map.texts.size() + j]);
      high = std::max<double>(high, map.cosines[i * map.texts.size() + j]);
    }
  }
  Svg svg(width, height,
          "Heat map of the cosines of " + counted(static_cast<int64_t>(map.texts.size()), "text") +
              ", " + map.name + ": between different texts from " + compact(low) + " to " +
              compact(high) + ".");
  for (size_t i = 0; i < map.texts.size(); ++i) {
    const double y = top + static_cast<double>(i) * cell,
                 middle = left + (static_cast<double>(i) + 0.5) * cell;
    const std::string number = std::to_string(i + 1);
    draw_row_label(svg, map.texts[i], y, 0, left - kNumberWidth - 4, cell);
    svg.text(left - 6, y + cell / 2 + 4, number, {{"class", "tick"}, {"text-anchor", "end"}});
    svg.text(middle, top - 6, number, {{"class", "tick"}, {"text-anchor", "middle"}});
    for (size_t j = 0; j < map.texts.size(); ++j) {
      const double cosine = map.cosines[i * map.texts.size() + j],
                   x = left + static_cast<double>(j) * cell;
      const std::string tooltip =
          std::to_string(i + 1) + " and " + std::to_string(j + 1) + ": " + fixed(cosine, 3);
      const Attributes square = {{"x", x + 0.5},
                                 {"y", y + 0.5},
                                 {"width", cell - 1},
                                 {"height", cell - 1}};
      Attributes filled = {{"class", hue(cosine)}, {"fill-opacity", opacity(cosine)}};
      filled.insert(filled.end(), square.begin(), square.end());
      svg.element("rect", filled, tooltip);
      if (cell < kSmallestWithNumber) continue;
      const char* const css = shade(cosine) > 0.55 ? "value inverse" : "value";
      svg.text(x + cell / 2, y + cell / 2 + 4, short_number(cosine),
               {{"class", css}, {"text-anchor", "middle"}});
    }
  }
  draw_legend(svg, left, top + n * cell + 12, std::min(n * cell - 50, 200.0));
  return svg.finish();
}

}  // namespace contrastive::cli::report
