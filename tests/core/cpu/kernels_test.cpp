// Which kernels are chosen for which processor.
#include "core/cpu/kernels.h"

#include <gtest/gtest.h>

#include <string>

#include "core/cpu/builds.h"

namespace contrastive::cpu {
namespace {

// The names of the chosen groups: encode, int8, bfloat16, training, update, scores.
std::string chosen(const Features& features) {
  const Kernels k = kernels_for(features);
  const char* bfloat16 = k.bfloat16 == nullptr ? "none" : k.bfloat16->name;
  std::string names;
  for (const char* name :
       {k.encode->name, k.int8->name, bfloat16, k.training->name, k.update->name, k.scores->name})
    names += std::string(names.empty() ? "" : " ") + name;
  return names;
}

TEST(Kernels, ABuildOfThisProcessorIsChosenInEveryGroup) {
  EXPECT_EQ(kernels().encode, builds(&Kernels::encode).back());
  EXPECT_EQ(kernels().training, builds(&Kernels::training).back());
  EXPECT_EQ(kernels().update, builds(&Kernels::update).back());
  EXPECT_EQ(kernels().scores, builds(&Kernels::scores).back());
  EXPECT_EQ(narrow_kernels(Narrow::kInt8), builds(Narrow::kInt8).back());
  const auto bfloat16 = builds(Narrow::kBfloat16);
  EXPECT_EQ(narrow_kernels(Narrow::kBfloat16), bfloat16.empty() ? nullptr : bfloat16.back());
  for (const Narrow format : {Narrow::kInt8, Narrow::kBfloat16}) {
    for (const NarrowKernels* build : builds(format)) EXPECT_EQ(build->format, format);
  }
}

#if defined(__x86_64__)
constexpr Features kNone;

TEST(Kernels, FollowTheFeaturesOnX86) {
  EXPECT_EQ(chosen(kNone), "baseline baseline none baseline baseline baseline");
  EXPECT_EQ(chosen(kAvx2.needs), "avx2 avx2 none avx2 avx2 avx2");
  EXPECT_EQ(chosen(kAvxVnni.needs), "avx2 avx-vnni none avx2 avx2 avx2");
  EXPECT_EQ(chosen(kAvx512.needs), "avx512 avx2 none avx512 avx512 avx512");
  EXPECT_EQ(chosen(kAvx512.needs.with(kAvxVnni.needs)),
            "avx512 avx-vnni none avx512 avx512 avx512");
  EXPECT_EQ(chosen(kAvx512Vnni.needs), "avx512 avx512-vnni none avx512 avx512 avx512");
  EXPECT_EQ(chosen(kAvx512Bf16.needs), "avx512 avx2 avx512-bf16 avx512 avx512 avx512");
  EXPECT_EQ(chosen(kAvx512Vnni.needs.with(kAvx512Bf16.needs)),
            "avx512 avx512-vnni avx512-bf16 avx512 avx512 avx512");
}

// Every file for AVX-512 is compiled with AVX-512VL. A processor with only AVX-512F, such as
// Knights Landing, uses AVX2.
TEST(Kernels, Avx512NeedsMoreThanItsFoundation) {
  const Features saved(Feature::kSavesMasks, Feature::kSavesZmmLow, Feature::kSavesZmmHigh);
  const Features foundation = kAvx2.needs.with(saved).with(Features(Feature::kAvx512f));
  EXPECT_EQ(chosen(foundation), "avx2 avx2 none avx2 avx2 avx2");
  EXPECT_EQ(chosen(foundation.with(Features(Feature::kAvx512dq))), "avx2 avx2 none avx2 avx2 avx2");
  EXPECT_EQ(chosen(foundation.with(Features(Feature::kAvx512dq, Feature::kAvx512vl))),
            "avx512 avx2 none avx512 avx512 avx512");
}

TEST(Kernels, AvxNeedsASystemThatSavesItsRegisters) {
  const Features without(Feature::kAvx, Feature::kAvx2, Feature::kFma, Feature::kAvxVnni);
  EXPECT_EQ(chosen(without), "baseline baseline none baseline baseline baseline");
}
#elif defined(__aarch64__)
TEST(Kernels, FollowTheFeaturesOnArm64) {
  EXPECT_EQ(chosen(Features()), "neon neon none neon neon neon");
  EXPECT_EQ(chosen(kNeonDot.needs), "neon neon-dot none neon neon neon");
  EXPECT_EQ(chosen(kNeonBf16.needs), "neon neon neon-bf16 neon neon neon");
}
#endif

}  // namespace
}  // namespace contrastive::cpu
