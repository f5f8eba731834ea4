// The instruction sets of invented processors, and of this one.
#include "core/cpu/features.h"

#include <gtest/gtest.h>

namespace contrastive::cpu {
namespace {

const Features kHaswell(Feature::kSsse3, Feature::kSse41, Feature::kFma, Feature::kAvx,
                        Feature::kAvx2, Feature::kSavesXmm, Feature::kSavesYmm);
const Features kZmmSaved(Feature::kSavesMasks, Feature::kSavesZmmLow, Feature::kSavesZmmHigh);
const Features kSkylakeServer = kHaswell.with(kZmmSaved).with(
    Features(Feature::kAvx512f, Feature::kAvx512dq, Feature::kAvx512bw, Feature::kAvx512vl));

TEST(Features, EveryProcessorHasTheBaseline) { EXPECT_TRUE(Features().contains(kBaseline.needs)); }

TEST(Features, Avx2NeedsFmaAndASystemThatSavesItsRegisters) {
  EXPECT_TRUE(kHaswell.contains(kAvx2.needs));
  EXPECT_FALSE(Features(Feature::kAvx, Feature::kAvx2, Feature::kSavesXmm, Feature::kSavesYmm)
                   .contains(kAvx2.needs));
  EXPECT_FALSE(Features(Feature::kAvx, Feature::kAvx2, Feature::kFma, Feature::kSavesXmm)
                   .contains(kAvx2.needs));
}

TEST(Features, Avx512NeedsItsFoundationAndTheOtherParts) {
  EXPECT_TRUE(kSkylakeServer.contains(kAvx512.needs));
  const Features knights_landing = kHaswell.with(kZmmSaved).with(Features(Feature::kAvx512f));
  EXPECT_FALSE(knights_landing.contains(kAvx512.needs));
  EXPECT_TRUE(knights_landing.contains(kAvx2.needs));
  for (const Feature missing :
       {Feature::kSavesMasks, Feature::kSavesZmmLow, Feature::kSavesZmmHigh}) {
    Features others =
        kHaswell.with(Features(Feature::kAvx512f, Feature::kAvx512dq, Feature::kAvx512vl));
    for (const Feature saved :
         {Feature::kSavesMasks, Feature::kSavesZmmLow, Feature::kSavesZmmHigh}) {
      if (saved != missing) others = others.with(Features(saved));
    }
    EXPECT_FALSE(others.contains(kAvx512.needs));
  }
}

TEST(Features, ASetThatExtendsAnotherNeedsBoth) {
  EXPECT_FALSE(kSkylakeServer.contains(kAvx512Vnni.needs));
  EXPECT_TRUE(kSkylakeServer.with(Features(Feature::kAvx512Vnni)).contains(kAvx512Vnni.needs));
  EXPECT_FALSE(kHaswell.with(Features(Feature::kAvx512Vnni)).contains(kAvx512Vnni.needs));
  EXPECT_FALSE(kHaswell.with(Features(Feature::kAvx512Bf16)).contains(kAvx512Bf16.needs));
  EXPECT_FALSE(Features(Feature::kAvxVnni).contains(kAvxVnni.needs));
  EXPECT_TRUE(kHaswell.with(Features(Feature::kAvxVnni)).contains(kAvxVnni.needs));
  EXPECT_FALSE(Features(Feature::kArmDotProducts).contains(kNeonBf16.needs));
}

// The compiler's runtime reads the same registers independently.
#if defined(__x86_64__)
TEST(Features, AgreeWithTheCompilers) {
  // Every x86-64 processor has SSE2. Zig's run time answers 0 for each feature.
  if (!__builtin_cpu_supports("sse2"))
    GTEST_SKIP() << "__builtin_cpu_supports does not work with this compiler's run time";
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  const bool avx512 = avx2 && __builtin_cpu_supports("avx512f") &&
                      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl");
  const bool bytes = avx512 && __builtin_cpu_supports("avx512bw");
  EXPECT_EQ(features().contains(kAvx2.needs), avx2);
  EXPECT_EQ(features().contains(kAvx512.needs), avx512);
  EXPECT_EQ(features().contains(kAvx512Vnni.needs), bytes && __builtin_cpu_supports("avx512vnni"));
  EXPECT_EQ(features().contains(kAvx512Bf16.needs), bytes && __builtin_cpu_supports("avx512bf16"));
}
#endif

}  // namespace
}  // namespace contrastive::cpu
