// In-batch InfoNCE: every anchor is to find its positive among the positives of all anchors and any number of hard negatives. SimCSE's loss (Gao et
// al., 2021, equations 1 and 5) and MultipleNegativesRanking (Henderson et al., 2017) are this one function.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/objectives/nt_xent.h"

namespace contrastive::objectives {

enum class Similarity { kCosine, kDot };

struct InBatchOptions {
  double scale = 20;  // multiplies every similarity: 1 / temperature
  Similarity similarity = Similarity::kCosine;
  bool symmetric = false;           // the mean of both directions; the other one finds each positive's anchor among all anchors
  double hard_negative_weight = 1;  // counts an anchor's own hard negatives that many times in its denominator
  FalseNegatives false_negatives = FalseNegatives::kKeep;
};

// The candidates of anchor i are all positives and all hard negatives:
//   l_i = log sum_k w_ik exp(s(a_i, x_k)) - s(a_i, p_i), mean over the anchors; w_ik = hard_negative_weight for the own ones, else 1.
struct InBatchVectors {
  at::Tensor anchors, positives;  // [n, d]
  at::Tensor negatives = {};      // [m, d], or undefined
  at::Tensor owners = {};         // int64 [m]: the anchor that each hard negative was given for
  // int64 [n], [n], [m]: equal numbers for equal texts; needed for FalseNegatives::kMask only. A candidate with the text of the anchor or of its
  // positive then leaves that anchor's denominator.
  at::Tensor anchor_ids = {}, positive_ids = {}, negative_ids = {};
};

// float16 and bfloat16 are computed in float32, float64 stays. One pair without hard negatives gives exactly 0, and gradient 0.
at::Tensor in_batch_loss(const InBatchVectors& vectors, const InBatchOptions& options);

}  // namespace contrastive::objectives
