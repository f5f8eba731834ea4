// The kernels for every processor. Only the vector type is said here; what is computed stands in
// the .inl files.
#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/kernels/row_products.h"

namespace contrastive::encoder::kernels {
namespace {

#include "core/encoder/kernels/vectors_baseline.inl"

// The 64-bit products of the lanes with m, in halves.
inline void wide_multiply(UInts x, uint32_t m, UInts& high, UInts& low) {
  for (int i = 0; i < kLanes; ++i) {
    const uint64_t product = uint64_t{x[i]} * m;
    high[i] = static_cast<uint32_t>(product >> 32);
    low[i] = static_cast<uint32_t>(product);
  }
}
// Bit i: lane i >= threshold.
inline uint64_t at_least(UInts x, uint32_t threshold) {
  uint64_t bits = 0;
  for (int i = 0; i < kLanes; ++i) bits |= uint64_t{x[i] >= threshold} << i;
  return bits;
}

#include "core/encoder/kernels/row_parts.inl"
#include "core/encoder/kernels/vector_math.inl"
#include "core/encoder/kernels/linear.inl"
#include "core/encoder/kernels/layer_norm.inl"
#include "core/encoder/kernels/attention.inl"
#include "core/encoder/kernels/training_rows.inl"
#include "core/encoder/kernels/training_attention.inl"
#include "core/encoder/kernels/philox.inl"
#include "core/encoder/kernels/row_products.inl"

}  // namespace

const KernelTable kBaseline{"baseline",
                            kLanes,
                            kRows,
                            linear,
                            attention,
                            layer_norm,
                            activate,
                            {norm, norm_backward, activation, attention_of_text,
                             attention_backward_of_text, scale_shift, drop, column_sums,
                             draw_mask}};

const RowKernels kBaselineRows{"baseline", row_products, weight_gradient};

}  // namespace contrastive::encoder::kernels
