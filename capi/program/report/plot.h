// A chart with two axes, drawn layer by layer. What is drawn first lies below. Numbers that are not
// finite are gaps.
#pragma once

#include <string>
#include <vector>

#include "capi/program/report/axis.h"
#include "capi/program/report/series.h"
#include "capi/program/report/svg.h"

namespace contrastive::cli::report {

struct Size {
  double width, height;
};

// The class of a run or group: its colour, and beyond the sixth its dashes.
std::string colour_class(size_t index);

struct PlotText {
  std::string description;  // for screen readers
  std::string x, y;         // what the axes show, with units
};

struct EndLabel {
  double value;  // on the y axis
  std::string text, css;
};

class Plot {
 public:
  // `room` is kept free to the right of the axes, for labels: in digits.
  Plot(const PlotText& text, Size size, Axis x, Axis y, double room = 0);

  void line(const Series& series, const std::string& css, const std::string& tooltip = "");
  void band(const Band& band, const std::string& css);
  void dots(const Series& points, const std::string& css);  // one path, for thousands of them
  void marker(double x, double y, const std::string& css, const std::string& tooltip);
  void ring(double x, double y, const std::string& css);
  // Beside the point, or above it, wherever no other label is.
  enum class Side { kBeside, kAbove };
  void label(double x, double y, const std::string& text, const std::string& css,
             Side side = Side::kBeside);
  void rule(double x, const std::string& text);  // a vertical line with its meaning
  void end_labels(std::vector<EndLabel>
                      labels);  // at the right end of lines, moved apart where they would overlap
  std::string finish() { return svg_.finish(); }

  double columns() const { return right_ - left_; }  // pixels of the x axis

 private:
  struct Box {
    double left, right, level;
  };
  bool is_free(const Box& box) const;
  double px(double x) const { return left_ + x_.at(x) * (right_ - left_); }
  double py(double y) const { return bottom_ - y_.at(y) * (bottom_ - top_); }
  bool shows(double x, double y) const;
  void draw_frame(const PlotText& text);

  Svg svg_;
  Axis x_, y_;
  std::vector<Box> labels_;
  double left_ = 0, right_ = 0, top_ = 0, bottom_ = 0;
};

}  // namespace contrastive::cli::report
