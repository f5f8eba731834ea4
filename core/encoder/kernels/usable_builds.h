// Which builds of a table of kernels this processor runs, the widest last.
#pragma once

#include <vector>

namespace contrastive::encoder::kernels {

#if defined(__x86_64__)
template <class Table>
std::vector<const Table*> usable_builds(const Table& baseline, const Table& avx2,
                                        const Table& avx512) {
  std::vector<const Table*> usable{&baseline};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) usable.push_back(&avx2);
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    usable.push_back(&avx512);
  return usable;
}
#elif defined(__aarch64__)
template <class Table>
std::vector<const Table*> usable_builds(const Table& baseline, const Table& neon) {
  return {&baseline, &neon};
}
#endif

}  // namespace contrastive::encoder::kernels
