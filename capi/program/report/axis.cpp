#include "capi/program/report/axis.h"

#include <algorithm>
#include <cmath>

#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

constexpr double kSteepest =
    40;  // largest number over the median from which an axis is logarithmic

// 1, 2 or 5 times a power of ten: the least such step with at most `count` of them.
double nice_step(double span, int count) {
  const double rough = span / count, power = std::pow(10.0, std::floor(std::log10(rough)));
  for (const double factor : {1.0, 2.0, 5.0}) {
    if (factor * power >= rough * (1 - 1e-9)) return factor * power;
  }
  return 10 * power;
}

std::string tick_label(double value, double step, double largest) {
  if (std::fabs(value) < step * 1e-6) return "0";
  if (value < 0) return "−" + tick_label(-value, step, largest);
  if (largest < 1e-3 || largest >= 1e7) return scientific(value, 2);
  const int digits = std::clamp(static_cast<int>(std::ceil(-std::log10(step) - 1e-9)), 0, 6);
  return digits == 0 ? with_commas(std::llround(value)) : fixed(value, digits);
}

}  // namespace

void Extent::add(double value) {
  if (!std::isfinite(value)) return;
  low = std::min(low, value);
  high = std::max(high, value);
}

void Extent::add(const std::vector<double>& values) {
  for (const double value : values) add(value);
}

Axis Axis::linear(const Extent& extent, int ticks, bool round) {
  Axis axis;
  axis.low_ = extent.empty() ? 0 : extent.low;
  axis.high_ = extent.empty() ? 1 : extent.high;
  const double size = std::max(std::fabs(axis.low_), std::fabs(axis.high_));
  if (axis.high_ - axis.low_ <= size * 1e-9) {
    const double room = size > 0 ? size * 0.1 : 1;
    axis.low_ -= room;
    axis.high_ += room;
  }
  const double step = nice_step(axis.high_ - axis.low_, ticks);
  if (round) {
    axis.low_ = std::floor(axis.low_ / step + 1e-9) * step;
    axis.high_ = std::ceil(axis.high_ / step - 1e-9) * step;
  }
  const double largest = std::max(std::fabs(axis.low_), std::fabs(axis.high_));
  for (double i = std::ceil(axis.low_ / step - 1e-9); i * step <= axis.high_ + step * 1e-9; ++i) {
    axis.ticks_.push_back({i * step, tick_label(i * step, step, largest)});
  }
  return axis;
}

Axis Axis::logarithmic(const Extent& extent) {
  Axis axis;
  axis.logarithmic_ = true;
  const int first = static_cast<int>(std::floor(std::log10(extent.low) + 1e-9));
  const int last = std::max(static_cast<int>(std::ceil(std::log10(extent.high) - 1e-9)), first + 1);
  axis.low_ = std::pow(10.0, first);
  axis.high_ = std::pow(10.0, last);
  const int every = (last - first + 5) / 6;
  for (int power = first; power <= last; power += every)
    axis.ticks_.push_back({std::pow(10.0, power), compact(std::pow(10.0, power))});
  return axis;
}

Axis Axis::fitting(const std::vector<double>& values, int ticks) {
  Extent extent;
  std::vector<double> finite;
  for (const double value : values) {
    extent.add(value);
    if (std::isfinite(value)) finite.push_back(value);
  }
  if (finite.size() < 3 || extent.low <= 0) return linear(extent, ticks, true);
  std::nth_element(finite.begin(), finite.begin() + static_cast<std::ptrdiff_t>(finite.size() / 2),
                   finite.end());
  return extent.high > kSteepest * finite[finite.size() / 2] ? logarithmic(extent)
                                                             : linear(extent, ticks, true);
}

double Axis::at(double value) const {
  return logarithmic_
             ? (std::log10(value) - std::log10(low_)) / (std::log10(high_) - std::log10(low_))
             : (value - low_) / (high_ - low_);
}

double Axis::label_width() const {
  double width = 0;
  for (const Tick& tick : ticks_) width = std::max(width, display_width(tick.label));
  return width;
}

}  // namespace contrastive::cli::report
