// Compiled with OpenMP, without which at::parallel_for is a plain loop.
#include "core/libtorch/share_out.h"

#include <ATen/Parallel.h>

#include <algorithm>
#include <atomic>

#if !defined(_OPENMP) && !defined(__clang__)  // the build for fuzzing computes on one thread
#error "this file wants OpenMP: see core/runtime/CMakeLists.txt"
#endif

namespace contrastive::libtorch {

void share_out(int64_t count, const std::function<void(int64_t)>& body) {
  std::atomic<int64_t> next{0};
  // One item of the loop is one thread, which takes numbers as long as there are any: texts differ in length.
  at::parallel_for(0, std::min<int64_t>(count, at::get_num_threads()), 1, [&](int64_t, int64_t) {
    for (int64_t i = next.fetch_add(1); i < count; i = next.fetch_add(1)) body(i);
  });
}

void share_out_rows(int64_t rows, const std::function<void(int64_t, int64_t, int64_t)>& body) {
  share_out(row_ranges(rows), [&](int64_t range) { body(range, range * kRangeRows, std::min(rows, (range + 1) * kRangeRows)); });
}

}  // namespace contrastive::libtorch
