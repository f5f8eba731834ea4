// The kernels for every processor. Only the vector type is said here; what is computed stands in the .inl files.
#include "core/nn/kernels/kernel_table.h"

namespace contrastive::nn::kernels {
namespace {

constexpr int kLanes = 4;
constexpr int kRows = 4;
using Vec = float __attribute__((vector_size(kLanes * sizeof(float))));
using Ints = int32_t __attribute__((vector_size(kLanes * sizeof(int32_t))));

inline Vec splat(float value) { return Vec{value, value, value, value}; }
inline Vec fma(Vec a, Vec b, Vec c) { return a * b + c; }
inline Vec reciprocal(Vec x) { return 1.0f / x; }
inline float sum_of_lanes(Vec x) { return (x[0] + x[2]) + (x[1] + x[3]); }

#include "core/nn/kernels/vector_math.inl"
#include "core/nn/kernels/linear.inl"
#include "core/nn/kernels/layer_norm.inl"
#include "core/nn/kernels/attention.inl"

}  // namespace

const KernelTable kBaseline{"baseline", kLanes, kRows, linear, attention, layer_norm, activate};

}  // namespace contrastive::nn::kernels
