// Products of a small weight matrix with rows that lie anywhere, and the gradient of the weights:
// what fitting a classifier on frozen embeddings consists of. Each build of kernel_table.h compiles
// them for its vector width. One thread; nothing here allocates or throws.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::encoder::kernels {

// y[row][o] = weight[o] . x[row] + bias[o]. A row's numbers do not depend on the rows beside it.
struct RowProductsTask {
  int64_t rows = 0, in = 0, out = 0;
  const float* const* x = nullptr;  // [rows] pointers to `in` floats
  const float* weight = nullptr;    // [out][in]
  const float* bias = nullptr;      // [out]
  float* y = nullptr;               // [rows][out]
};

// grad_weight[o] = sum over the rows of grad_y[row][o] x[row].
struct WeightGradientTask {
  int64_t rows = 0, in = 0, out = 0;
  const float* const* x = nullptr;  // as above
  const float* grad_y = nullptr;    // [rows][out]
  float* grad_weight = nullptr;     // [out][in]
};

struct RowKernels {
  const char* name;
  void (*products)(const RowProductsTask&);
  void (*weight_gradient)(const WeightGradientTask&);
};

extern const RowKernels kBaselineRows;
extern const RowKernels kAvx2Rows;  // x86-64 only, as the next
extern const RowKernels kAvx512Rows;
extern const RowKernels kNeonRows;  // arm64 only

// As in kernel_table.h.
const RowKernels& best_row_kernels();
std::vector<const RowKernels*> usable_row_kernels();

}  // namespace contrastive::encoder::kernels
