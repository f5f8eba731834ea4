#include "core/objectives/nt_xent.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/amax.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/diagonal.h>
#include <ATen/ops/eye.h>
#include <ATen/ops/logsumexp.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/ones_like.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/sqrt.h>
#include <ATen/ops/where.h>
#include <ATen/ops/zeros_like.h>

#include <limits>

#include "core/base/error.h"

namespace contrastive::objectives {
namespace {

// Logits of a float16 dot product divided by a small temperature have no resolution left, so half types are widened.
at::Tensor widened(const at::Tensor& x) { return x.scalar_type() == at::kDouble ? x : x.to(at::kFloat); }

void check_shapes(const at::Tensor& a, const at::Tensor& b) {
  check(a.dim() == 2 && b.dim() == 2 && a.sizes() == b.sizes(), Status::kMismatch, "NT-Xent needs two matrices of one shape, not ", a.sizes(),
        " and ", b.sizes());
  check(a.size(0) > 0 && a.size(1) > 0, Status::kArgument, "NT-Xent of an empty batch ", a.sizes());
}

// True where column k holds the text of row i and is not i's positive. `positive` is the boolean matrix of positives.
at::Tensor false_negatives(const at::Tensor& row_ids, const at::Tensor& column_ids, const at::Tensor& positive) {
  return row_ids.unsqueeze(1).eq(column_ids.unsqueeze(0)).logical_and(positive.logical_not());  // [rows, columns]
}

at::Tensor reduce(const at::Tensor& rows, Reduction reduction) {
  switch (reduction) {
    case Reduction::kMean: return rows.mean();
    case Reduction::kSum: return rows.sum();
    case Reduction::kTwoSided: return rows.mean() * 2;  // the halves have the same length
  }
  fail(Status::kInternal, "unknown reduction");
}

// Rows of a against rows of b: [n] losses.
at::Tensor one_sided_rows(const at::Tensor& a, const at::Tensor& b, double temperature, const at::Tensor& ids) {
  const int64_t n = a.size(0);
  at::Tensor logits = a.matmul(b.t()) / temperature;  // [n, n]
  const at::Tensor positives = logits.diagonal();     // [n]
  if (ids.defined()) {
    const at::Tensor positive = at::eye(n, logits.options().dtype(at::kBool));
    logits = logits.masked_fill(false_negatives(ids.narrow(0, 0, n), ids.narrow(0, n, n), positive), -std::numeric_limits<double>::infinity());
  }
  return at::logsumexp(logits, 1) - positives;
}

// Every row of z = cat(a, b) against all others: [2n] losses.
at::Tensor both_sided_rows(const at::Tensor& z, double temperature, const at::Tensor& ids) {
  const int64_t n = z.size(0) / 2;
  const at::Tensor logits = z.matmul(z.t()) / temperature;  // [2n, 2n]
  // Taken from the matrix itself, not recomputed: the difference below is then exactly 0 for a batch of one.
  const at::Tensor positives = at::cat({logits.diagonal(n), logits.diagonal(-n)});  // [2n]
  const at::Tensor self = at::eye(2 * n, logits.options().dtype(at::kBool));
  at::Tensor excluded = self;
  if (ids.defined()) excluded = self.logical_or(false_negatives(ids, ids, self.roll(n, 1)));
  return at::logsumexp(logits.masked_fill(excluded, -std::numeric_limits<double>::infinity()), 1) - positives;
}

}  // namespace

void NtXentOptions::visit(OptionVisitor& v) {
  v.real("temperature", temperature, between(1e-4, 1e4), {"divides every cosine", "CLSR 4.1, ConSERT 4.1: 0.1", ""});
  v.choice("reduction", reduction, {{"mean", Reduction::kMean}, {"sum", Reduction::kSum}, {"two-sided", Reduction::kTwoSided}},
           {"from the losses of the rows to one number; two-sided adds the means of both halves",
            "mean: CLSR; sum: CLEAR eq. 2; two-sided: ConSERT's code", ""});
  v.choice("sides", sides, {{"both", Sides::kBoth}, {"one", Sides::kOne}},
           {"both: every vector against all others; one: first texts against second texts only", "both: CLSR eq. 1; one: SimCSE", ""});
  v.choice("false_negatives", false_negatives, {{"keep", FalseNegatives::kKeep}, {"mask", FalseNegatives::kMask}},
           {"whether a text equal to the anchor's counts as its negative", "keep: all four papers", ""});
}

void NtXentOptions::validate() const {
  check(sides == Sides::kBoth || reduction != Reduction::kTwoSided, Status::kArgument,
        "reduction 'two-sided' needs sides 'both': with sides 'one' there is only one half");
}

at::Tensor normalize_rows(const at::Tensor& z) {
  // Scaling a row by a constant leaves z / |z| and its gradient as they are, so the largest entry may be divided out without being differentiated:
  // squares then neither overflow nor vanish.
  at::Tensor scale, keep;
  {
    const at::Tensor detached = z.detach();
    const at::Tensor largest = detached.abs().amax(1, true);  // [n, 1]
    scale = at::where(largest.gt(0), largest, at::ones_like(largest));
    keep = ((detached / scale).square().sum(1, true).sqrt() * scale).le(1e-12).logical_not();  // NaN is kept, so that it is seen
  }
  const at::Tensor scaled = z / scale;
  const at::Tensor squares = scaled.square().sum(1, true);  // [n, 1], from 1 to d; 0 for a zero row
  // Guarded before the root: its slope at 0 is infinite, and 0 x infinity would put NaN into the gradient.
  const at::Tensor inverse = at::where(keep, squares, at::ones_like(squares)).rsqrt();
  return at::where(keep, scaled * inverse, at::zeros_like(scaled));
}

at::Tensor nt_xent(const at::Tensor& a, const at::Tensor& b, const NtXentOptions& options, const at::Tensor& text_ids) {
  check_shapes(a, b);
  options.validate();
  const int64_t n = a.size(0);
  at::Tensor ids;
  if (options.false_negatives == FalseNegatives::kMask) {
    check(text_ids.defined() && text_ids.dim() == 1 && text_ids.size(0) == 2 * n, Status::kArgument, "false_negatives 'mask' needs ", 2 * n,
          " text ids, one for each vector of both halves");
    ids = text_ids.to(a.device());
  }
  const at::Tensor z = normalize_rows(at::cat({widened(a), widened(b)}));  // [2n, d]
  const at::Tensor rows = options.sides == Sides::kBoth ? both_sided_rows(z, options.temperature, ids)
                                                        : one_sided_rows(z.narrow(0, 0, n), z.narrow(0, n, n), options.temperature, ids);
  return reduce(rows, options.reduction);
}

}  // namespace contrastive::objectives
