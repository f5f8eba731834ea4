// A curve of any length made ready for a chart of some hundred points: what it does on the whole,
// and the range it moves in.
#pragma once

#include <cstddef>
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

struct Band {
  std::vector<double> x, low, high;
};

// Mean of the `window` numbers around each one; gaps stay, and are left out of the means of their
// neighbours.
Series smoothed(const Series& series, size_t window);

// The mean of what several curves have at each place of the x axis.
Series mean_of(const std::vector<Series>& curves);

// At most `points` points, each the mean of its part of the x axis; as it is where there are no
// more. A part without numbers is a gap.
Series thinned(const Series& series, size_t points);
// The least and the greatest number of the same parts: no peak is lost.
Band envelope(const Series& series, size_t points);

}  // namespace contrastive::cli::report
