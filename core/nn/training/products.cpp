#include "core/nn/training/products.h"

#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm.h>

#include "core/encoder/kernels/kernel_table.h"
#include "core/libtorch/share_out.h"

namespace contrastive::nn {

void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add) {
  at::Tensor target = out;
  if (add) {
    at::addmm_out(target, target, a, b);
  } else {
    at::mm_out(target, a, b);
  }
}

at::Tensor sum_of_rows(const at::Tensor& x) {
  const auto& kernels = encoder::kernels::best_kernels().training;
  const int64_t rows = x.size(0), width = x.size(1), stride = x.stride(0);
  const at::Tensor parts = at::empty({libtorch::row_ranges(rows), width}, at::kFloat), sums = at::empty({width}, at::kFloat);
  const float* values = x.const_data_ptr<float>();
  float* part = parts.mutable_data_ptr<float>();
  libtorch::share_out_rows(rows, [&](int64_t range, int64_t begin, int64_t end) {
    kernels.column_sums(values + begin * stride, end - begin, width, stride, part + range * width);
  });
  kernels.column_sums(part, libtorch::row_ranges(rows), width, width, sums.mutable_data_ptr<float>());
  return sums;
}

}  // namespace contrastive::nn
