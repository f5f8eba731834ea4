// The instruction sets of this arm64 processor, by the names that Linux gives them.
#include <gtest/gtest.h>

#include "core/cpu/features.h"

#if defined(__aarch64__) && __has_include(<sys/auxv.h>)
#include <sys/auxv.h>
#endif

namespace contrastive::cpu {
namespace {

#if defined(HWCAP_ASIMDDP) && defined(HWCAP2_BF16)
TEST(Features, AgreeWithTheSystemsNames) {
  EXPECT_EQ(features().contains(kNeonDot.needs), (getauxval(AT_HWCAP) & HWCAP_ASIMDDP) != 0);
  EXPECT_EQ(features().contains(kArmSha2.needs), (getauxval(AT_HWCAP) & HWCAP_SHA2) != 0);
  EXPECT_EQ(features().contains(kNeonBf16.needs), (getauxval(AT_HWCAP2) & HWCAP2_BF16) != 0);
}
#endif

}  // namespace
}  // namespace contrastive::cpu
