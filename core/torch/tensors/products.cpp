#include "core/torch/tensors/products.h"

#include <ATen/autocast_mode.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/mm.h>
#include <ATen/ops/sum.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>
#include <torch/csrc/autograd/saved_variable.h>

#include <algorithm>
#include <array>
#include <climits>
#include <memory>
#include <optional>

#include "core/torch/tensors/openmp.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/tensors/row_blocks.h"
#include "core/runtime/thread_pool.h"

// A function of the BLAS inside libtorch_cpu.so, if that exports one.
template <class T>
using Gemm = void(const char* trans_a, const char* trans_b, const int* m, const int* n,
                  const int* k, const T* alpha, const T* a, const int* lda, const T* b,
                  const int* ldb, const T* beta, T* c, const int* ldc);
extern "C" __attribute__((weak)) Gemm<float> sgemm_;
extern "C" __attribute__((weak)) Gemm<double> dgemm_;

namespace contrastive::tensors {
namespace {

using torch::autograd::Node;
using torch::autograd::SavedVariable;
using torch::autograd::variable_list;

// Number of multiplications that are not worth a second thread: some ten microseconds.
constexpr int64_t kSmall = int64_t{1} << 19;
// Tiles of a result, rows and columns. Larger tiles lose less to BLAS's packing, smaller ones keep
// more threads busy.
constexpr int64_t kTiles[][2] = {{256, 384}, {128, 384}, {128, 192}};
constexpr int64_t kEnoughTiles = 12;

// How BLAS reads a matrix.
struct Layout {
  int stride;
  bool transposed;  // element (i, j) at i + j * stride, not at i * stride + j
  int64_t at(int64_t row, int64_t column) const {
    return transposed ? row + column * stride : row * stride + column;
  }
};

std::optional<Layout> layout_of(const at::Tensor& x) {
  const int64_t rows = x.size(0), columns = x.size(1), down = x.stride(0), right = x.stride(1);
  // `step` from one to the next of `count` neighbours, `stride` from one run of them to the next of
  // `runs`.
  const auto fits = [](int64_t step, int64_t count, int64_t stride, int64_t runs) {
    return (step == 1 || count == 1) && (runs == 1 || stride >= count) &&
           std::max(stride, count) <= INT_MAX;
  };
  if (fits(right, columns, down, rows))
    return Layout{static_cast<int>(rows == 1 ? columns : down), false};
  if (fits(down, rows, right, columns))
    return Layout{static_cast<int>(columns == 1 ? rows : right), true};
  return std::nullopt;
}

struct Tiling {
  int64_t rows, columns, count;
};
int64_t parts(int64_t whole, int64_t part) { return (whole + part - 1) / part; }
Tiling tiling(int64_t rows, int64_t columns, int64_t depth) {
  if (rows * columns * depth <= kSmall) return {rows, columns, 1};
  Tiling tiles{};
  for (const auto& [tile_rows, tile_columns] : kTiles) {
    tiles = {tile_rows, tile_columns, parts(rows, tile_rows) * parts(columns, tile_columns)};
    if (tiles.count >= kEnoughTiles) break;
  }
  return tiles;
}

bool plain(const at::Tensor& x) {
  const at::ScalarType type = x.scalar_type();
  return x.dim() == 2 && x.device().is_cpu() && x.layout() == at::kStrided &&
         (type == at::kFloat || type == at::kDouble || type == at::kBFloat16);
}

bool multiplied_here(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  return plain(x) && plain(weight) && x.scalar_type() == weight.scalar_type() &&
         (!bias.defined() || bias.scalar_type() == x.scalar_type());
}

// The operands and the result of a product.
struct Task {
  at::Tensor out, a, b;
  Layout to, from, with;
  bool add;
  at::Tensor bias;  // if defined, every row of `out` starts with it
};

// The tile of `m` rows and `n` columns that begins at (row, column).
template <class T>
void multiply_tile(const Task& t, Gemm<T>* gemm, int64_t row, int64_t column, int m, int n) {
  if (gemm == nullptr) {
    const at::NoGradGuard no_grad;
    at::Tensor part = t.out.narrow(0, row, m).narrow(1, column, n);
    const at::Tensor left = t.a.narrow(0, row, m), right = t.b.narrow(1, column, n);
    if (t.bias.defined()) part.copy_(t.bias.narrow(0, column, n).expand_as(part));
    t.add || t.bias.defined() ? at::addmm_out(part, part, left, right)
                              : at::mm_out(part, left, right);
    return;
  }
  // BLAS is column-major, so it computes out^T = b^T a^T.
  const int k = static_cast<int>(t.a.size(1));
  T* const to = t.out.mutable_data_ptr<T>() + t.to.at(row, column);
  if (t.bias.defined()) {
    for (int i = 0; i < m; ++i)
      std::copy_n(t.bias.const_data_ptr<T>() + column, n,
                  to + static_cast<int64_t>(i) * t.to.stride);
  }
  const T one = 1, before = t.add || t.bias.defined() ? 1 : 0;
  gemm(t.with.transposed ? "T" : "N", t.from.transposed ? "T" : "N", &n, &m, &k, &one,
       t.b.const_data_ptr<T>() + t.with.at(0, column), &t.with.stride,
       t.a.const_data_ptr<T>() + t.from.at(row, 0), &t.from.stride, &before, to, &t.to.stride);
}

void multiply_all(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add,
                  const at::Tensor& bias) {
  const int64_t rows = out.size(0), columns = out.size(1), depth = a.size(1);
  TORCH_CHECK(a.size(0) == rows && b.size(1) == columns && b.size(0) == depth && depth <= INT_MAX,
              "product of ", a.sizes(), " and ", b.sizes(), " into ", out.sizes());
  if (rows == 0 || columns == 0) return;
  const std::optional<Layout> to = layout_of(out), from = layout_of(a), with = layout_of(b);
  TORCH_CHECK(to && !to->transposed, "a product is written to rows");
  if (!from || !with)
    return multiply_all(out, from ? a : a.contiguous(), with ? b : b.contiguous(), add, bias);
  const Task task{out, a, b, *to, *from, *with, add, bias};
  const Tiling tiles = tiling(rows, columns, depth);
  const int64_t across = parts(columns, tiles.columns);
  runtime::parallel_for(tiles.count, [&](int64_t tile) {
    compute_with_one_thread();
    const int64_t row = tile / across * tiles.rows, column = tile % across * tiles.columns;
    const int m = static_cast<int>(std::min(tiles.rows, rows - row)),
              n = static_cast<int>(std::min(tiles.columns, columns - column));
    if (out.scalar_type() == at::kFloat) multiply_tile<float>(task, sgemm_, row, column, m, n);
    else if (out.scalar_type() == at::kDouble)
      multiply_tile<double>(task, dgemm_, row, column, m, n);
    else multiply_tile<float>(task, nullptr, row, column, m, n);
  });
}

// The sum of the rows of x: [columns]. Sums each block of rows, then the blocks, so that the result
// does not depend on the number of threads.
at::Tensor sum_of_rows(const at::Tensor& x) {
  const int64_t block = rows_of_a_block(x), blocks = std::max<int64_t>(1, parts(x.size(0), block));
  if (blocks == 1) return x.sum(0);
  const at::Tensor sums = at::empty({blocks, x.size(1)}, x.options());
  for_row_blocks(x, [&](int64_t first, int64_t rows) {
    at::Tensor sum = sums.select(0, first / block);
    at::sum_out(sum, x.narrow(0, first, rows), 0);
  });
  return sums.sum(0);
}

struct LinearBackward : Node {
  std::string name() const override { return "LinearBackward"; }
  variable_list apply(variable_list&& grads) override {
    TORCH_CHECK(!at::GradMode::is_enabled(), "products on the pool have no second derivative");
    variable_list results(3);
    if (!grads[0].defined()) return results;
    const at::Tensor& g = grads[0];
    if (task_should_compute_output(0)) {
      const at::Tensor w = weight.unpack();
      multiply(results[0] = recycled({g.size(0), w.size(1)}, g.options()), g, w);
    }
    if (task_should_compute_output(1)) {
      const at::Tensor in = x.unpack();
      multiply(results[1] = recycled({g.size(1), in.size(1)}, g.options()), g.t(), in);
    }
    if (task_should_compute_output(2)) results[2] = sum_of_rows(g);
    return results;
  }
  void release_variables() override {
    x.reset_data();
    weight.reset_data();
  }

  SavedVariable x, weight;
};

}  // namespace

void multiply(const at::Tensor& out, const at::Tensor& a, const at::Tensor& b, bool add) {
  multiply_all(out, a, b, add, {});
}

at::Tensor linear(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias) {
  if (at::autocast::is_autocast_enabled(at::kCPU) && x.dim() == 2 && x.device().is_cpu()) {
    const c10::impl::ExcludeDispatchKeyGuard cast_by_hand(c10::DispatchKey::AutocastCPU);
    const auto cast = [type =
                           at::autocast::get_autocast_dtype(at::kCPU)](const at::Tensor& tensor) {
      return tensor.defined() ? at::autocast::cached_cast(type, tensor, at::kCPU) : tensor;
    };
    return tensors::linear(cast(x), cast(weight), cast(bias));
  }
  if (!multiplied_here(x, weight, bias))
    return at::linear(x, weight, bias.defined() ? std::optional<at::Tensor>(bias) : std::nullopt);
  const bool training = torch::autograd::compute_requires_grad(x, weight, bias);
  at::Tensor result;
  {
    const at::NoGradGuard no_grad;
    const std::array<int64_t, 2> shape{x.size(0), weight.size(0)};
    result = training ? recycled(shape, x.options()) : at::empty(shape, x.options());
    multiply_all(result, x, weight.t(), false, bias.defined() ? bias.contiguous() : bias);
  }
  if (!training) return result;
  const auto node = std::make_shared<LinearBackward>();
  node->x = SavedVariable(x, false);
  node->weight = SavedVariable(weight, false);
  node->set_next_edges(torch::autograd::collect_next_edges(x, weight, bias));
  torch::autograd::set_history(result, node);
  return result;
}

at::Tensor product(const at::Tensor& a, const at::Tensor& b) {
  return a.dim() == 2 && b.dim() == 2 ? tensors::linear(a, b.t()) : at::matmul(a, b);
}

}  // namespace contrastive::tensors
