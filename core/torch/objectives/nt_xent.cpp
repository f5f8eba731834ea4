#include "core/torch/objectives/nt_xent.h"

#include <ATen/TensorOperators.h>
#include <ATen/core/grad_mode.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/arange.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/log_softmax.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/sub.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/functions/utils.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

#include "core/base/error.h"
#include "core/torch/tensors/products.h"
#include "core/torch/tensors/recycled_memory.h"
#include "core/torch/tensors/row_blocks.h"
#include "core/torch/objectives/ranked_rows.h"
#include "core/torch/objectives/unit_rows.h"
#include "core/runtime/thread_pool.h"

namespace contrastive::objectives {
namespace {

using torch::autograd::variable_list;

void check_shapes(const at::Tensor& a, const at::Tensor& b) {
  check(a.dim() == 2 && b.dim() == 2 && a.sizes() == b.sizes(), Status::kMismatch,
        "NT-Xent needs two matrices of one shape, not ", a.sizes(), " and ", b.sizes());
  check(a.size(0) > 0 && a.size(1) > 0, Status::kArgument, "NT-Xent of an empty batch ", a.sizes());
}

constexpr double kExcluded = -std::numeric_limits<double>::infinity();

// Which columns are not candidates of a row: itself, and others with its text that are not its
// positive.
class Exclusion {
 public:
  // ids: [2n] of both halves, or undefined where equal texts are kept.
  Exclusion(const at::Tensor& ids, bool both, int64_t n) : both_(both), n_(n) {
    if (!ids.defined()) return;
    rows_ = (both ? ids : ids.narrow(0, 0, n)).unsqueeze(1);
    columns_ = (both ? ids : ids.narrow(0, n, n)).unsqueeze(0);
  }
  // logits: [some rows, columns], of the rows from `first` on.
  void apply(const at::Tensor& logits, int64_t first) const {
    if (rows_.defined()) {
      const at::Tensor repeated = rows_.narrow(0, first, logits.size(0)).eq(columns_);
      for (at::Tensor& own : positives(repeated, first)) own.fill_(false);
      logits.masked_fill_(repeated, kExcluded);
    }
    if (both_) logits.diagonal(first).fill_(kExcluded);
  }
  // The columns of the positives in such a matrix: that of row i is i + n, and i - n in the second
  // half.
  std::vector<at::Tensor> positives(const at::Tensor& of, int64_t first = 0) const {
    return both_ ? std::vector<at::Tensor>{of.diagonal(first + n_), of.diagonal(first - n_)}
                 : std::vector<at::Tensor>{of.diagonal(first)};
  }

 private:
  bool both_;
  int64_t n_;
  at::Tensor rows_, columns_;
};

// The weight of every row's loss in the total.
double row_weight(Reduction reduction, int64_t rows) {
  switch (reduction) {
    case Reduction::kMean: return 1.0 / static_cast<double>(rows);
    case Reduction::kSum: return 1;
    case Reduction::kTwoSided:
      return 2.0 / static_cast<double>(rows);  // the halves have the same length
  }
  fail(Status::kInternal, "unknown reduction");
}

// Cosines keep the resolution of their type: autocast would reduce it to 16 bits.
struct FullPrecision {
  c10::impl::ExcludeDispatchKeyGuard guard{c10::autocast_dispatch_keyset};
};

void check_first_derivative(const at::Tensor& saved) {
  TORCH_CHECK(!at::GradMode::is_enabled(), "NT-Xent has no second derivative");
  TORCH_CHECK(saved.defined(), "a second backward pass through a graph that was not retained");
}

template <class Node>
at::Tensor connect(const std::shared_ptr<Node>& node, const at::Tensor& input,
                   const at::Tensor& output) {
  node->set_next_edges(torch::autograd::collect_next_edges(input));
  torch::autograd::set_history(output, node);
  return output;
}

// z = x / |x|:  dx = (dz - z (z . dz)) / |x|
struct UnitRowsBackward : torch::autograd::Node {
  std::string name() const override { return "UnitRowsBackward"; }
  variable_list apply(variable_list&& grads) override {
    check_first_derivative(z);
    if (!grads[0].defined()) return variable_list(1);
    const at::Tensor result = tensors::recycled_like(z), &given = grads[0];
    tensors::for_row_blocks(z, [&](int64_t first, int64_t rows) {
      const at::Tensor unit = z.narrow(0, first, rows), grad = given.narrow(0, first, rows);
      at::Tensor part = result.narrow(0, first, rows);
      const at::Tensor along = at::mul_out(part, unit, grad).sum(1, true);  // [rows, 1]
      at::sub_out(part, grad, unit * along).mul_(inverse.narrow(0, first, rows));
    });
    return {result};
  }
  void release_variables() override { z = inverse = at::Tensor(); }

  at::Tensor z;        // [n, d]
  at::Tensor inverse;  // [n, 1] 1 / |x|, or 0 where x counts as 0
};

// The side of the squares of a matrix that are transposed at a time: columns are read as rows, and
// transposed while they are in the cache.
constexpr int64_t kSide = 32;
template <class T>
struct Square {
  Square(const T* x, int64_t n, int64_t row, int64_t column)
      : rows(std::min(kSide, n - row)), columns(std::min(kSide, n - column)) {
    for (int64_t i = 0; i < rows; ++i) std::copy_n(x + (row + i) * n + column, columns, at[i]);
  }
  // Adds this square and the opposite one, transposed.
  void write_sum(const Square& other, T* to, int64_t n, int64_t row, int64_t column) const {
    for (int64_t i = 0; i < rows; ++i) {
      for (int64_t k = 0; k < columns; ++k)
        to[(row + i) * n + column + k] = at[i][k] + other.at[k][i];
    }
  }
  int64_t rows, columns;
  T at[kSide][kSide];
};

// sum = x + x^T, [n, n] contiguous.
template <class T>
void add_transpose(const T* x, int64_t n, T* sum) {
  runtime::parallel_for((n + kSide - 1) / kSide, [=](int64_t item) {
    const int64_t top = item * kSide;
    for (int64_t left = top; left < n; left += kSide) {
      const Square<T> upper(x, n, top, left), lower(x, n, left, top);
      upper.write_sum(lower, sum, n, top, left);
      lower.write_sum(upper, sum, n, left, top);
    }
  });
}
at::Tensor with_transpose(const at::Tensor& x) {
  if (!x.is_cpu() || !x.is_contiguous()) return x + x.t();
  const at::Tensor sum = tensors::recycled_like(x);
  if (x.scalar_type() == at::kFloat)
    add_transpose(x.const_data_ptr<float>(), x.size(0), sum.mutable_data_ptr<float>());
  else add_transpose(x.const_data_ptr<double>(), x.size(0), sum.mutable_data_ptr<double>());
  return sum;
}

// With S = z z^T / temperature (one-sided: first half by second half) and
// G = dL/dS = weight (softmax(S) - positive):
//   both sides:  dz = (G + G^T) z / temperature
//   one side:    da = G b / temperature,  db = G^T a / temperature
struct NtXentBackward : torch::autograd::Node {
  std::string name() const override { return "NtXentBackward"; }
  variable_list apply(variable_list&& grads) override {
    check_first_derivative(slope);
    if (!grads[0].defined()) return variable_list(1);
    const FullPrecision full;
    const int64_t n = z.size(0) / 2;
    const at::Tensor product = both ? tensors::product(with_transpose(slope), z)
                                    : at::cat({tensors::product(slope, z.narrow(0, n, n)),
                                               tensors::product(slope.t(), z.narrow(0, 0, n))});
    const at::Tensor scale = grads[0] / temperature;
    tensors::for_row_blocks(product, [&](int64_t first, int64_t rows) {
      product.narrow(0, first, rows).mul_(scale);
    });
    return {product};
  }
  void release_variables() override { z = slope = at::Tensor(); }

  at::Tensor z;      // [2n, d]
  at::Tensor slope;  // G [2n, 2n], one-sided [n, n]
  bool both = true;
  double temperature = 1;
};

// The losses of all rows of z = cat(a, b), reduced. ids: [2n], or undefined if nothing is masked.
at::Tensor loss_of(const at::Tensor& z, const NtXentOptions& options, const at::Tensor& ids) {
  const bool with_grad = torch::autograd::compute_requires_grad(z);
  const at::NoGradGuard no_grad;
  const FullPrecision full;
  const int64_t n = z.size(0) / 2;
  const bool both = options.sides == Sides::kBoth;
  const at::Tensor rows = both ? z : z.narrow(0, 0, n), columns = both ? z : z.narrow(0, n, n);
  at::Tensor logits = tensors::product(rows, columns.t());
  tensors::for_row_blocks(logits, [&](int64_t first, int64_t count) {
    logits.narrow(0, first, count).div_(options.temperature);
  });
  const Exclusion exclusion(ids, both, n);
  exclusion.apply(logits, 0);
  at::Tensor logs = tensors::recycled_like(logits);  // exactly 0 for the one pair of a batch of one
  tensors::for_row_blocks(logits, [&](int64_t first, int64_t count) {
    at::Tensor part = logs.narrow(0, first, count);
    at::log_softmax_out(part, logits.narrow(0, first, count), 1);
  });
  const double weight = row_weight(options.reduction, rows.size(0));
  at::Tensor sum = at::zeros({}, z.options());
  for (const at::Tensor& p : exclusion.positives(logs)) sum.sub_(p.sum());
  at::Tensor loss = sum.mul_(weight);
  if (!with_grad) return loss;
  auto node = std::make_shared<NtXentBackward>();
  node->z = z;
  tensors::for_row_blocks(logs, [&](int64_t first, int64_t count) {
    logs.narrow(0, first, count).exp_().mul_(weight);
  });
  node->slope = logs;
  for (at::Tensor& p : exclusion.positives(node->slope)) p.sub_(weight);
  node->both = both;
  node->temperature = options.temperature;
  return connect(node, z, loss);
}

// The same for more pairs than fit in one matrix.
at::Tensor loss_in_blocks(const at::Tensor& z, const NtXentOptions& options,
                          const at::Tensor& ids) {
  const int64_t n = z.size(0) / 2;
  const bool both = options.sides == Sides::kBoth;
  const Exclusion exclusion(ids, both, n);
  RankedRows ranked{both ? z : z.narrow(0, 0, n), both ? z : z.narrow(0, n, n),
                    at::arange(n, z.options().dtype(at::kLong))};
  if (both) ranked.positives = at::cat({ranked.positives + n, ranked.positives});
  ranked.scale = 1 / options.temperature;
  ranked.weight = row_weight(options.reduction, ranked.rows.size(0));
  ranked.adjust = [&](const at::Tensor& logits, int64_t first) { exclusion.apply(logits, first); };
  return ranked_rows_loss(ranked);
}

}  // namespace

void NtXentOptions::visit(OptionVisitor& v) {
  v.real("temperature", temperature, between(1e-4, 1e4),
         OptionDoc("divides every cosine").source("CLSR 4.1, ConSERT 4.1: 0.1"));
  v.choice(
      "reduction", reduction,
      {{"mean", Reduction::kMean}, {"sum", Reduction::kSum}, {"two-sided", Reduction::kTwoSided}},
      OptionDoc("how the losses of the rows are combined; two-sided adds the means of both halves")
          .source("mean: CLSR; sum: CLEAR eq. 2; two-sided: ConSERT's code"));
  v.choice("sides", sides, {{"both", Sides::kBoth}, {"one", Sides::kOne}},
           OptionDoc(
               "both: every vector against all others; one: first texts against second texts only")
               .source("both: CLSR eq. 1; one: SimCSE"));
  v.choice("false_negatives", false_negatives,
           {{"keep", FalseNegatives::kKeep}, {"mask", FalseNegatives::kMask}},
           OptionDoc("whether a text equal to the anchor's counts as its negative")
               .source("keep: all four papers"));
}

void NtXentOptions::validate(const std::string& prefix) const {
  check(sides == Sides::kBoth || reduction != Reduction::kTwoSided, Status::kArgument,
        "config key '", prefix, "reduction' is two-sided, but '", prefix,
        "sides' is one: there is only one half, and both are needed");
}

at::Tensor normalize_rows(const at::Tensor& x) {
  const bool with_grad = torch::autograd::compute_requires_grad(x);
  const at::NoGradGuard no_grad;
  const at::Tensor z =
      with_grad ? tensors::recycled_like(x) : at::empty_like(x, at::MemoryFormat::Contiguous);
  const at::Tensor inverse = at::empty({x.size(0), 1}, x.options());
  tensors::for_row_blocks(x, [&](int64_t first, int64_t rows) {
    const at::Tensor from = x.narrow(0, first, rows);
    at::Tensor unit = z.narrow(0, first, rows);
    // The largest entry is divided out first, so that squares neither overflow nor underflow.
    const at::Tensor largest = from.abs().amax(1, true);  // [rows, 1]
    const at::Tensor scale = at::where(largest.gt(0), largest, at::ones_like(largest));
    at::div_out(unit, from, scale);
    const at::Tensor length =
        unit.square().sum(1, true).sqrt_();  // [rows, 1], from 1 to sqrt(d); 0 for a zero row
    const at::Tensor whole = length * scale;
    const at::Tensor dropped = whole.le(1e-12);  // NaN is kept, so that it is seen
    unit.mul_(length.reciprocal().masked_fill_(dropped, 0));
    inverse.narrow(0, first, rows).copy_(whole.reciprocal().masked_fill_(dropped, 0));
  });
  if (!with_grad) return z;
  auto node = std::make_shared<UnitRowsBackward>();
  node->z = z.detach();
  node->inverse = inverse;
  return connect(node, x, z);
}

at::Tensor nt_xent(const at::Tensor& a, const at::Tensor& b, const NtXentOptions& options,
                   const at::Tensor& text_ids) {
  check_shapes(a, b);
  options.validate();
  const int64_t n = a.size(0);
  at::Tensor ids;
  if (options.false_negatives == FalseNegatives::kMask) {
    check(text_ids.defined() && text_ids.dim() == 1 && text_ids.size(0) == 2 * n, Status::kArgument,
          "false_negatives 'mask' needs ", 2 * n, " text ids, one for each vector of both halves");
    ids = text_ids.to(a.device());
  }
  const at::Tensor z =
      normalize_rows(at::cat({at_least_float32(a), at_least_float32(b)}));  // [2n, d]
  const int64_t rows = options.sides == Sides::kBoth ? 2 * n : n;
  return too_many_similarities(rows, rows) ? loss_in_blocks(z, options, ids)
                                           : loss_of(z, options, ids);
}

}  // namespace contrastive::objectives
