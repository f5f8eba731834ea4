// NT-Xent, the normalised temperature-scaled cross entropy of two batches of vectors,
// differentiable. It is equation 1 of CLSR, of ConSERT and of CLEAR.
#pragma once

#include <ATen/core/Tensor.h>

#include <string>

#include "core/base/options.h"

namespace contrastive::objectives {

// How the losses of the rows become one number: the mean or the sum over the 2N rows (N if
// one-sided), or the means of both halves added up.
enum class Reduction { kMean, kSum, kTwoSided };
// kBoth: all 2N vectors are anchors, against the other 2N - 1. kOne: rows of `a` against rows of
// `b` only (SimCSE, multiple negatives ranking).
enum class Sides { kBoth, kOne };
// How to treat a column that has the same text as its row and is not its positive.
enum class FalseNegatives { kKeep, kMask };

struct NtXentOptions {
  double temperature = 0.1;
  Reduction reduction = Reduction::kMean;
  Sides sides = Sides::kBoth;
  FalseNegatives false_negatives = FalseNegatives::kKeep;

  void visit(OptionVisitor& v);
  // kArgument for choices that exclude each other; it names the keys behind `prefix`.
  void validate(const std::string& prefix = "") const;
};

// With Z = cat(a, b), p(i) the other half's row of i, and S = normalize(Z) normalize(Z)^T /
// temperature:
//   l_i = log sum_{k != i} exp(S[i, k]) - S[i, p(i)]
// a, b: [n, d], n >= 1. float16 and bfloat16 are computed in float32; float64 stays. The result is
// a scalar of that type. text_ids: int64 [2n] over cat(a, b), equal numbers for equal texts; needed
// only for FalseNegatives::kMask. One pair has no negatives: the loss and its gradient are exactly
// 0. A zero vector has cosine 0 to everything, and gradient 0.
at::Tensor nt_xent(const at::Tensor& a, const at::Tensor& b, const NtXentOptions& options,
                   const at::Tensor& text_ids = {});

// Divides each row by its length. Value and gradient are 0 for |z| <= 1e-12, and rows whose squares
// overflow are computed correctly.
at::Tensor normalize_rows(const at::Tensor& z);  // [n, d] -> [n, d]

}  // namespace contrastive::objectives
