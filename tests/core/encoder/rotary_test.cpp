#include "core/encoder/rotary.h"

#include <gmock/gmock.h>

#include <cmath>

namespace contrastive::encoder {
namespace {

TEST(Rotary, AnglesOfThePublishedFormula) {
  Architecture a;
  a.hidden_size = 8;
  a.num_attention_heads = 2;
  const Rotation turns = rotation(a, 10000, 3);
  ASSERT_EQ(turns.cosines.size(), 6u);  // three positions, two pairs
  for (const size_t place : {0u, 1u, 2u}) {
    EXPECT_NEAR(turns.cosines[2 * place], std::cos(static_cast<double>(place)), 1e-6);
    EXPECT_NEAR(turns.sines[2 * place + 1], std::sin(0.01 * static_cast<double>(place)), 1e-6);
  }
  // "ntk", alone and mixed: f_0 is slowed by 8^(-2/4) and by exp(ln 8 / 2^0.625).
  a.rotary_factor = 8;
  EXPECT_NEAR(rotary_frequencies(a, 10000)[0], std::pow(8.0, -0.5), 1e-6);
  EXPECT_NEAR(rotary_frequencies(a, 10000)[1], std::pow(80000.0, -0.5) * std::pow(8.0, -0.5), 1e-8);
  a.rotary_mixed = 0.625;
  const double b = std::log(8.0) / std::pow(2.0, 0.625);
  EXPECT_NEAR(rotary_frequencies(a, 10000)[0], std::exp(-b), 1e-6);
  EXPECT_NEAR(rotary_frequencies(a, 10000)[1], 0.01 * std::exp(-b * std::pow(2.0, 0.625)), 1e-7);
}

}  // namespace
}  // namespace contrastive::encoder
