#include "capi/program/report/series.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace contrastive::cli::report {
namespace {

constexpr double kGap = std::numeric_limits<double>::quiet_NaN();

// Calls take(first, last) for each run of neighbours that fall into the same of `points` parts of
// the x axis.
template <class Take>
void for_each_part(const Series& series, size_t points, Take take) {
  const double low = series.x.front(), span = std::max(series.x.back() - low, 1e-300);
  const auto part_of = [&](size_t i) {
    return std::min(points - 1,
                    static_cast<size_t>((series.x[i] - low) / span * static_cast<double>(points)));
  };
  for (size_t first = 0; first < series.size();) {
    size_t last = first + 1;
    while (last < series.size() && part_of(last) == part_of(first)) ++last;
    take(first, last);
    first = last;
  }
}

}  // namespace

Extent extent_of(const std::vector<double>& values) {
  Extent extent;
  for (const double value : values) {
    if (!std::isfinite(value)) continue;
    extent.low = std::min(extent.low, value);
    extent.high = std::max(extent.high, value);
  }
  return extent;
}

Series smoothed(const Series& series, size_t window) {
  if (window < 2) return series;
  Series out;
  const size_t half = window / 2;
  double sum = 0;
  size_t count = 0, begin = 0, end = 0;  // of the window [begin, end)
  for (size_t i = 0; i < series.size(); ++i) {
    for (; end < std::min(series.size(), i + half + 1); ++end) {
      if (!std::isfinite(series.y[end])) continue;
      sum += series.y[end];
      ++count;
    }
    for (; begin + half < i; ++begin) {
      if (!std::isfinite(series.y[begin])) continue;
      sum -= series.y[begin];
      --count;
    }
    out.add(series.x[i],
            std::isfinite(series.y[i]) && count > 0 ? sum / static_cast<double>(count) : kGap);
  }
  return out;
}

Series mean_of(const std::vector<Series>& curves) {
  std::map<double, std::pair<double, double>> sums;  // of the finite ones, and how many
  for (const Series& curve : curves) {
    for (size_t i = 0; i < curve.size(); ++i) {
      auto& [sum, count] = sums[curve.x[i]];
      if (!std::isfinite(curve.y[i])) continue;
      sum += curve.y[i];
      ++count;
    }
  }
  Series mean;
  for (const auto& [x, sum] : sums) mean.add(x, sum.second > 0 ? sum.first / sum.second : kGap);
  return mean;
}

Series thinned(const Series& series, size_t points) {
  if (series.size() <= points || points == 0) return series;
  Series out;
  for_each_part(series, points, [&](size_t first, size_t last) {
    double x = 0, y = 0;
    size_t count = 0;
    for (size_t i = first; i < last; ++i) {
      if (!std::isfinite(series.y[i])) continue;
      x += series.x[i];
      y += series.y[i];
      ++count;
    }
    const auto n = static_cast<double>(count);
    out.add(count > 0 ? x / n : series.x[first], count > 0 ? y / n : kGap);
  });
  return out;
}

Band envelope(const Series& series, size_t points) {
  Band band;
  if (series.size() == 0) return band;
  for_each_part(series, points, [&](size_t first, size_t last) {
    double low = kGap, high = kGap;
    for (size_t i = first; i < last; ++i) {
      if (!std::isfinite(series.y[i])) continue;
      low = std::isfinite(low) ? std::min(low, series.y[i]) : series.y[i];
      high = std::isfinite(high) ? std::max(high, series.y[i]) : series.y[i];
    }
    band.x.push_back((series.x[first] + series.x[last - 1]) / 2);
    band.low.push_back(low);
    band.high.push_back(high);
  });
  return band;
}

}  // namespace contrastive::cli::report
