#include "core/host/fp_environment.h"

#include <gtest/gtest.h>

#include <cfenv>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace contrastive::host {
namespace {

TEST(FpEnvironment, IsPlainInsideAndTheHostsOutside) {
  std::fesetround(FE_UPWARD);
  {
    const FpEnvironment environment;
    EXPECT_EQ(std::fegetround(), FE_TONEAREST);
  }
  EXPECT_EQ(std::fegetround(), FE_UPWARD);
  std::fesetround(FE_TONEAREST);
}

#if defined(__x86_64__)
TEST(FpEnvironment, KeepsDenormalsThatTheHostFlushes) {
  const unsigned before = _mm_getcsr();
  _mm_setcsr(before | 0x8040);  // flush to zero, denormals are zero
  volatile float small = 1e-38f;
  {
    const FpEnvironment environment;
    volatile const float smaller = small * 0.01f;
    EXPECT_GT(smaller, 0.0f);
  }
  EXPECT_EQ(_mm_getcsr() & 0x8040, 0x8040U);
  _mm_setcsr(before);
}
#elif defined(__aarch64__)
TEST(FpEnvironment, KeepsDenormalsThatTheHostFlushes) {
  const unsigned before = __builtin_aarch64_get_fpcr();
  __builtin_aarch64_set_fpcr(before | 1U << 24);  // flush to zero
  volatile float small = 1e-38f;
  {
    const FpEnvironment environment;
    volatile const float smaller = small * 0.01f;
    EXPECT_GT(smaller, 0.0f);
  }
  EXPECT_EQ(__builtin_aarch64_get_fpcr() & 1U << 24, 1U << 24);
  __builtin_aarch64_set_fpcr(before);
}
#endif

}  // namespace
}  // namespace contrastive::host
