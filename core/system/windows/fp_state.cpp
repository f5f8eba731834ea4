#include "core/system/fp_state.h"

#include <xmmintrin.h>

namespace contrastive::system {
namespace {

void set(unsigned sse, unsigned short x87) noexcept {
  ::_mm_setcsr(sse);
  __asm__ volatile("fldcw %0" : : "m"(x87));
}

}  // namespace

void set_default_fp(FpState& before) noexcept {
  before.sse = ::_mm_getcsr();
  __asm__ volatile("fnstcw %0" : "=m"(before.x87));
  set(0x1f80, 0x27f);  // as Windows starts a thread
}

void restore_fp(const FpState& before) noexcept { set(before.sse, before.x87); }

}  // namespace contrastive::system
