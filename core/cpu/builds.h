// Lists every build of a group of kernels that a processor can run, for tests.
#pragma once

#include <vector>

#include "core/cpu/features.h"
#include "core/cpu/kernels.h"

namespace contrastive::cpu {

// The tables of the instruction sets that such a processor has, the best one last.
std::vector<const Kernels*> usable_tables(const Features& features);

// The builds of one group for this processor, the best one last: builds(&Kernels::encode).
template <class Group>
std::vector<const Group*> builds(const Group* Kernels::* group) {
  std::vector<const Group*> found;
  for (const Kernels* table : usable_tables(features())) {
    if (table->*group != nullptr) found.push_back(table->*group);
  }
  return found;
}
inline std::vector<const NarrowKernels*> builds(Narrow format) {
  return builds(format == Narrow::kInt8 ? &Kernels::int8 : &Kernels::bfloat16);
}

}  // namespace contrastive::cpu
