// One axis of a chart: what part of the numbers it shows, where a number lies on it, and which
// numbers stand beside it.
#pragma once

#include <limits>
#include <string>
#include <vector>

namespace contrastive::cli::report {

// The finite numbers seen so far.
struct Extent {
  double low = std::numeric_limits<double>::infinity(),
         high = -std::numeric_limits<double>::infinity();

  void add(double value);
  void add(const std::vector<double>& values);
  bool empty() const { return low > high; }
};

struct Tick {
  double value;
  std::string label;
};

class Axis {
 public:
  // Linear. Widened to round numbers when `round`; a single number gets some room on both sides.
  static Axis linear(const Extent& extent, int ticks, bool round);
  static Axis logarithmic(const Extent& extent);  // all above 0
  // Logarithmic where the numbers are positive and the largest is far above the usual ones, so that
  // the rest would lie flat.
  static Axis fitting(const std::vector<double>& values, int ticks);

  bool is_logarithmic() const { return logarithmic_; }
  double low() const { return low_; }
  double high() const { return high_; }
  double at(double value) const;  // 0 at the low end, 1 at the high end
  const std::vector<Tick>& ticks() const { return ticks_; }
  double label_width() const;  // of the widest tick label, in digits

 private:
  double low_ = 0, high_ = 1;
  bool logarithmic_ = false;
  std::vector<Tick> ticks_;
};

}  // namespace contrastive::cli::report
