#include "core/torch/nn/cpu/row_sums.h"

#include <ATen/ops/empty.h>

#include "core/cpu/kernels.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::nn {

at::Tensor sum_of_rows(const at::Tensor& x) {
  const cpu::TrainingKernels& kernels = *cpu::kernels().training;
  const int64_t rows = x.size(0), width = x.size(1), stride = x.stride(0);
  const at::Tensor parts = at::empty({runtime::row_ranges(rows), width}, at::kFloat),
                   sums = at::empty({width}, at::kFloat);
  const float* values = x.const_data_ptr<float>();
  float* part = parts.mutable_data_ptr<float>();
  runtime::parallel_rows(rows, [&](int64_t range, int64_t begin, int64_t end) {
    kernels.column_sums(values + begin * stride, end - begin, width, stride, part + range * width);
  });
  kernels.column_sums(part, runtime::row_ranges(rows), width, width,
                      sums.mutable_data_ptr<float>());
  return sums;
}

}  // namespace contrastive::nn
