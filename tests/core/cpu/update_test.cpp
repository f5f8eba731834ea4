// Every build of the update's kernels: Adam against its formula in double, the checks of gradients
// against loops.
#include "core/cpu/builds.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "tests/core/cpu/random_floats.h"

namespace contrastive::cpu {
namespace {

TEST(UpdateKernels, AdamFollowsItsFormula) {
  for (const UpdateKernels* table : builds(&Kernels::update)) {
    const int64_t count = 37;
    std::vector<float> p = random_floats(count, 1), g = random_floats(count, 2),
                       m = random_floats(count, 3), v = random_floats(count, 4);
    for (float& value : v) value = std::abs(value);
    const std::vector<float> p0 = p, m0 = m, v0 = v;
    AdamTask t;
    t.count = count, t.parameter = p.data(), t.gradient = g.data(), t.mean = m.data(),
    t.square = v.data();
    t.gradient_scale = 0.5f, t.l2 = 0.25f, t.beta1 = 0.75f, t.beta2 = 0.875f, t.fresh1 = 0.25f,
    t.fresh2 = 0.125f;
    t.rate = 0.1f, t.root_scale = 2, t.eps = 0.01f, t.before = 0.5f, t.after = 0.75f;
    table->adam(t);
    for (size_t i = 0; i < p.size(); ++i) {
      const double gradient = 0.5 * g[i] + 0.25 * p0[i], mean = 0.75 * m0[i] + 0.25 * gradient,
                   square = 0.875 * v0[i] + 0.125 * gradient * gradient;
      ASSERT_NEAR(m[i], mean, 1e-6) << table->name;
      ASSERT_NEAR(v[i], square, 1e-6) << table->name;
      ASSERT_NEAR(p[i], (p0[i] * 0.5 - 0.1 * mean / (std::sqrt(square) * 2 + 0.01)) * 0.75, 1e-6)
          << table->name;
    }
    double squares = 0;
    for (const float value : p) squares += static_cast<double>(value) * static_cast<double>(value);
    EXPECT_NEAR(table->sum_of_squares(p.data(), count), squares, 1e-5 * squares);
    EXPECT_FALSE(table->is_zero(p.data(), count));
    std::vector<float> zeros(37, 0.0f);
    EXPECT_TRUE(table->is_zero(zeros.data(), 37));
    for (const size_t place : {0, 15, 36}) {
      for (const float value : {1e-30f, std::nanf("")}) {
        zeros[place] = value;
        EXPECT_FALSE(table->is_zero(zeros.data(), 37)) << table->name << " at " << place;
        zeros[place] = 0;
      }
    }
  }
}

}  // namespace
}  // namespace contrastive::cpu
