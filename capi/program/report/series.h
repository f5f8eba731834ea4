// Curves of any length reduced to some hundred points: their means, and the range they move in.
#pragma once

#include <cstddef>
#include <limits>
#include <vector>

namespace contrastive::cli::report {

// y over x, x rising. NaN in y is a gap.
struct Series {
  std::vector<double> x, y;
  size_t size() const { return x.size(); }
  void add(double at, double value) {
    x.push_back(at);
    y.push_back(value);
  }
};

// The least and the greatest finite number.
struct Extent {
  double low = std::numeric_limits<double>::infinity(),
         high = -std::numeric_limits<double>::infinity();
  bool empty() const { return low > high; }
};
Extent extent_of(const std::vector<double>& values);

struct Band {
  std::vector<double> x, low, high;
};

// Mean of the `window` numbers around each one. Gaps stay gaps and do not count in the means of
// their neighbours.
Series smoothed(const Series& series, size_t window);

// At each x, the mean of the curves that have a number there.
Series mean_of(const std::vector<Series>& curves);

// At most `points` points, each the mean of its part of the x axis. A curve without more points
// stays as it is. A part without numbers is a gap.
Series thinned(const Series& series, size_t points);
// The least and the greatest number of the same parts: no peak is lost.
Band envelope(const Series& series, size_t points);

}  // namespace contrastive::cli::report
