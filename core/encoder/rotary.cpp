#include "core/encoder/rotary.h"

#include <cmath>

namespace contrastive::encoder {

std::vector<float> rotary_frequencies(const Architecture& a, double base) {
  const auto width = static_cast<double>(a.width_of_head());
  std::vector<float> frequencies(static_cast<size_t>(a.width_of_head() / 2));
  for (size_t j = 0; j < frequencies.size(); ++j) {
    const double exponent = -2.0 * static_cast<double>(j) / width;
    double f = std::pow(base, exponent);
    if (a.rotary_factor != 1 && a.rotary_mixed == 0) {
      f = std::pow(a.rotary_factor * base, exponent) / std::pow(a.rotary_factor, 2 / width);
    } else if (a.rotary_factor != 1) {
      f /= std::exp(std::log(a.rotary_factor) / std::pow(width / 2, a.rotary_mixed) *
                    std::pow(static_cast<double>(j + 1), a.rotary_mixed));
    }
    frequencies[j] = static_cast<float>(f);
  }
  return frequencies;
}

Rotation rotation(const Architecture& architecture, double base, int64_t places) {
  const std::vector<float> frequencies = rotary_frequencies(architecture, base);
  Rotation r;
  r.cosines.reserve(frequencies.size() * static_cast<size_t>(places));
  r.sines.reserve(frequencies.size() * static_cast<size_t>(places));
  for (int64_t place = 0; place < places; ++place) {
    for (const float frequency : frequencies) {
      // In double, which systems' libraries of mathematics round to the same float.
      const double angle = static_cast<float>(place) * frequency;
      r.cosines.push_back(static_cast<float>(std::cos(angle)));
      r.sines.push_back(static_cast<float>(std::sin(angle)));
    }
  }
  return r;
}

}  // namespace contrastive::encoder
