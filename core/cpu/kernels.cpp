#include "core/cpu/kernels.h"

#include <vector>

#include "core/cpu/builds.h"
#include "core/cpu/features.h"

namespace contrastive::cpu {

// Each instruction set's source file defines one.
extern const Kernels kBaselineKernels;
extern const Kernels kAvx2Kernels, kAvxVnniKernels;
extern const Kernels kAvx512Kernels, kAvx512VnniKernels, kAvx512Bf16Kernels;
extern const Kernels kNeonKernels, kNeonDotKernels, kNeonBf16Kernels;

namespace {

struct Build {
  const InstructionSet& set;
  const Kernels& table;
};

// If two tables have the same group, the later one is faster.
constexpr Build kBuilds[] = {
    {kBaseline, kBaselineKernels},
#if defined(__x86_64__)
    {kAvx2, kAvx2Kernels},
    {kAvxVnni, kAvxVnniKernels},
    {kAvx512, kAvx512Kernels},
    {kAvx512Vnni, kAvx512VnniKernels},
    {kAvx512Bf16, kAvx512Bf16Kernels},
#elif defined(__aarch64__)
    {kNeon, kNeonKernels},
    {kNeonDot, kNeonDotKernels},
    {kNeonBf16, kNeonBf16Kernels},
#endif
};

template <class Group>
void replace(const Group*& group, const Group* with) {
  if (with != nullptr) group = with;
}

}  // namespace

std::vector<const Kernels*> usable_tables(const Features& features) {
  std::vector<const Kernels*> usable;
  for (const Build& build : kBuilds) {
    if (features.contains(build.set.needs)) usable.push_back(&build.table);
  }
  return usable;
}

Kernels kernels_for(const Features& features) {
  Kernels best{};
  for (const Kernels* table : usable_tables(features)) {
    replace(best.encode, table->encode);
    replace(best.int8, table->int8);
    replace(best.bfloat16, table->bfloat16);
    replace(best.training, table->training);
    replace(best.update, table->update);
    replace(best.scores, table->scores);
  }
  return best;
}

const Kernels& kernels() {
  static const Kernels best = kernels_for(features());
  return best;
}

const NarrowKernels* narrow_kernels(Narrow format) {
  return format == Narrow::kInt8 ? kernels().int8 : kernels().bfloat16;
}

}  // namespace contrastive::cpu
