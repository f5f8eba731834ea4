#include "core/text/unicode_forms.h"

#include <gtest/gtest.h>

namespace contrastive::text {
namespace {

TEST(UnicodeForms, LongestDecomposition) {
  char32_t made[kLongestDecomposition];
  EXPECT_EQ(decompose_compatibly(0xFDFA, made), kLongestDecomposition);
  EXPECT_EQ(decompose_compatibly(U'a', made), 1u);
  EXPECT_EQ(compose(U'e', 0x301), char32_t{0xE9});
  EXPECT_EQ(compose(U'e', U'e'), char32_t{0});
}

}  // namespace
}  // namespace contrastive::text
