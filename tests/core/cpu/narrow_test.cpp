// Products in int8 and bfloat16 against simple programs. In int8 every build must give the same
// bits.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "core/cpu/builds.h"
#include "core/encoder/narrow_matrix.h"
#include "tests/core/cpu/random_floats.h"

namespace contrastive::cpu {
namespace {

using encoder::NarrowMatrix;
using Floats = std::vector<float>;

size_t at(int64_t i) { return static_cast<size_t>(i); }

// Rows of `width` numbers as the panels of `lanes` tokens; lanes after the last row are 0.
Floats panels_of(const Floats& rows, int64_t width, int64_t lanes) {
  const int64_t tokens = static_cast<int64_t>(rows.size()) / width,
                panels = (tokens + lanes - 1) / lanes;
  Floats x(at(panels * width * lanes));
  for (int64_t t = 0; t < tokens; ++t) {
    for (int64_t i = 0; i < width; ++i)
      x[at((t / lanes * width + i) * lanes + t % lanes)] = rows[at(t * width + i)];
  }
  return x;
}

// One build's product with W: [tokens, out] for the rows [begin, end), -77 elsewhere.
Floats product(const NarrowKernels& k, const Floats& rows, const NarrowMatrix& w, int64_t begin,
               int64_t end, const float* bias = nullptr, const Floats& residual_rows = {},
               bool activate = false) {
  const int64_t in = w.columns(), out = w.rows(), lanes = k.floats->lanes,
                tokens = static_cast<int64_t>(rows.size()) / in;
  const Floats x = panels_of(rows, in, lanes), residual = panels_of(residual_rows, out, lanes);
  const int64_t panels = k.floats->panels(tokens);
  std::vector<uint8_t> rounded(at(panels * k.panel_bytes(in)));
  std::vector<int32_t> zeros(at(panels * lanes));
  Floats scales(at(panels * lanes)), y(at(panels * out * lanes), -77.0f);
  NarrowTask narrow;
  narrow.x = x.data(), narrow.x_stride = in * lanes, narrow.out = rounded.data(),
  narrow.out_stride = k.panel_bytes(in);
  narrow.scales = scales.data(), narrow.zeros = zeros.data(), narrow.panels = panels,
  narrow.width = in;
  k.narrow(narrow);
  NarrowLinearTask t;
  t.x = rounded.data(), t.x_stride = k.panel_bytes(in), t.x_scales = scales.data(),
  t.x_zeros = zeros.data();
  t.weight = w.values(), t.weight_stride = w.stride(), t.weight_scales = w.scales(),
  t.weight_sums = w.sums();
  t.bias = bias, t.y = y.data(), t.y_stride = out * lanes, t.panels = panels, t.in = in,
  t.begin = begin, t.end = end;
  if (!residual_rows.empty()) t.residual = residual.data(), t.residual_stride = out * lanes;
  t.activate = activate;
  k.linear(t);
  Floats result(at(tokens * out));
  for (int64_t token = 0; token < tokens; ++token) {
    for (int64_t row = 0; row < out; ++row)
      result[at(token * out + row)] = y[at((token / lanes * out + row) * lanes + token % lanes)];
  }
  return result;
}

// The same in int8, as a simple loop.
Floats plain_int8(const Floats& rows, const Floats& weight, int64_t in) {
  Floats result;
  for (size_t t = 0; t < rows.size(); t += at(in)) {
    float largest = 0, smallest = 0;
    for (size_t i = t; i < t + at(in); ++i)
      largest = std::max(largest, rows[i]), smallest = std::min(smallest, rows[i]);
    const float range = largest - smallest, scale = range * (1.0f / 254.0f),
                inverse = range > 1e-30f ? 254.0f / range : 0;
    const int64_t zero = std::lrint(-smallest * inverse);
    for (size_t row = 0; row < weight.size(); row += at(in)) {
      float most = 0;
      for (size_t i = row; i < row + at(in); ++i) most = std::max(most, std::fabs(weight[i]));
      int64_t sum = 0;
      for (size_t i = 0; i < at(in); ++i) {
        const int64_t byte = std::lrint(rows[t + i] * inverse) + zero,
                      of_row = most > 1e-30f ? std::lrint(weight[row + i] * (127.0f / most)) : 0;
        EXPECT_TRUE(byte >= 0 && byte <= 255 && of_row >= -127 && of_row <= 127);
        sum += (byte - zero) * of_row;
      }
      result.push_back(static_cast<float>(static_cast<int32_t>(sum)) *
                       (scale * (most * (1.0f / 127.0f))));
    }
  }
  return result;
}

TEST(NarrowKernels, Int8IsThePlainProgramToTheBitInEveryBuild) {
  for (const int64_t in : {1, 6, 37, 64, 200}) {
    const int64_t out = 29, tokens = 41;
    Floats rows = random_floats(tokens * in, 1), weight = random_floats(out * in, 2);
    std::fill_n(rows.begin(), in, 0.0f);           // a token of zeros
    std::fill_n(weight.begin() + in, in, 1e-36f);  // a row of tiny numbers
    for (int64_t i = 0; i < in; ++i)
      rows[at(in + i)] = i % 2 == 0 ? 3.0f : -3.0f;  // the largest possible sums
    std::fill_n(rows.begin() + 2 * in, in, 2.0f);    // nothing below 0
    for (int64_t i = 0; i < in; ++i)
      rows[at(3 * in + i)] = -std::fabs(rows[at(3 * in + i)]);  // nothing above it
    for (int64_t i = 0; i < in; ++i) weight[at(i)] = i % 2 == 0 ? 0.5f : -0.5f;
    const Floats expected = plain_int8(rows, weight, in);
    const NarrowMatrix w = NarrowMatrix::rounded(Narrow::kInt8, weight.data(), out, in);
    for (const NarrowKernels* k : builds(Narrow::kInt8)) {
      for (int64_t begin = 0; begin < 3; ++begin) {
        for (int64_t end = begin; end <= out; ++end) {
          const Floats got = product(*k, rows, w, begin, end);
          for (int64_t i = 0; i < tokens * out; ++i) {
            const float wanted = i % out >= begin && i % out < end ? expected[at(i)] : -77.0f;
            ASSERT_EQ(got[at(i)], wanted)
                << k->name << " in " << in << " rows " << begin << ".." << end << " at " << i;
          }
        }
      }
    }
  }
}

TEST(NarrowKernels, EveryCountOfPanelsAndWhatFollowsTheSums) {
  const int64_t in = 37, out = 30;
  const Floats weight = random_floats(out * in, 1), bias = random_floats(out, 2);
  const NarrowMatrix w = NarrowMatrix::rounded(Narrow::kInt8, weight.data(), out, in);
  for (const NarrowKernels* k : builds(Narrow::kInt8)) {
    for (int64_t tokens = 1; tokens <= 50; tokens += 7) {
      const Floats rows = random_floats(tokens * in, 3), residual = random_floats(tokens * out, 4);
      const Floats sums = plain_int8(rows, weight, in),
                   got = product(*k, rows, w, 0, out, bias.data(), residual, true);
      for (int64_t i = 0; i < tokens * out; ++i) {
        const double z = static_cast<double>(sums[at(i)]) + static_cast<double>(bias[at(i % out)]);
        const double expected =
            0.5 * z * (1 + std::erf(z / std::sqrt(2.0))) + static_cast<double>(residual[at(i)]);
        ASSERT_NEAR(got[at(i)], expected, 1e-4) << k->name << " " << tokens;
      }
    }
  }
}

TEST(NarrowKernels, NotANumberStaysWithItsTokenAndItsRow) {
  const int64_t in = 21, out = 13, tokens = 35;
  Floats rows = random_floats(tokens * in, 1), weight = random_floats(out * in, 2);
  rows[at(7 * in + 20)] = std::numeric_limits<float>::quiet_NaN();
  rows[at(20 * in)] = -std::numeric_limits<float>::infinity();
  weight[at(3 * in + 2)] = std::numeric_limits<float>::infinity();
  const NarrowMatrix w = NarrowMatrix::rounded(Narrow::kInt8, weight.data(), out, in);
  for (const NarrowKernels* k : builds(Narrow::kInt8)) {
    const Floats got = product(*k, rows, w, 0, out);
    for (int64_t i = 0; i < tokens * out; ++i) {
      ASSERT_EQ(std::isnan(got[at(i)]), i / out == 7 || i / out == 20 || i % out == 3)
          << k->name << " at " << i;
    }
  }
}

uint16_t upper_half(float x) {
  uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof(bits));
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
double as_double(uint16_t half) {
  const uint32_t bits = uint32_t{half} << 16;
  float x = 0;
  std::memcpy(&x, &bits, sizeof(x));
  return static_cast<double>(x);
}

TEST(NarrowKernels, Bfloat16IsThePlainProgramUpToTheOrderOfSums) {
  const int64_t in = 38, out = 29, tokens = 41;
  const Floats rows = random_floats(tokens * in, 1), weight = random_floats(out * in, 2);
  std::vector<uint16_t> halves;
  for (const float x : weight) halves.push_back(upper_half(x));
  const NarrowMatrix w = NarrowMatrix::rounded(Narrow::kBfloat16, weight.data(), out, in);
  for (const NarrowKernels* k : builds(Narrow::kBfloat16)) {
    for (int64_t end = 0; end <= out; ++end) {
      const Floats got = product(*k, rows, w, 1, end);
      for (int64_t i = 0; i < tokens * out; ++i) {
        double expected = -77;
        if (i % out >= 1 && i % out < end) {
          expected = 0;
          for (int64_t j = 0; j < in; ++j)
            expected += as_double(upper_half(rows[at(i / out * in + j)])) *
                        as_double(halves[at(i % out * in + j)]);
        }
        ASSERT_NEAR(got[at(i)], expected, 2e-5) << k->name << " end " << end << " at " << i;
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::cpu
