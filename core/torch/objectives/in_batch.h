// In-batch InfoNCE: every anchor is to find its positive among the positives of all anchors and any
// number of hard negatives. SimCSE's loss (Gao et al., 2021, equations 1 and 5),
// MultipleNegativesRanking (Henderson et al., 2017) with its further directions (Li et al., 2023,
// GTE), hardness weighting (Lan et al., 2025) and GIST (Solatorio, 2024) are this one function.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/objectives/nt_xent.h"

namespace contrastive::objectives {

enum class Similarity { kCosine, kDot };
// Which negatives weigh more the more similar they are to the anchor: none, those of other anchors,
// the anchor's own hard ones, or both.
enum class Hardness { kNone, kInBatch, kHard, kAll };

// What else stands in the denominator of anchor i with positive p_i, beside the positives and hard
// negatives of all.
struct FurtherColumns {
  bool query_to_query = false;  // s(a_i, a_k) for k != i
  bool doc_to_query = false;    // s(p_i, a_k) for all k
  bool doc_to_doc = false;      // s(p_i, x) for all positives and hard negatives x of other anchors

  bool of_documents() const { return doc_to_query || doc_to_doc; }
  bool any() const { return query_to_query || of_documents(); }
};

struct InBatchOptions {
  double scale = 20;  // multiplies every similarity: 1 / temperature
  Similarity similarity = Similarity::kCosine;
  bool symmetric = false;  // the mean of both directions; the other one finds each positive's
                           // anchor among all anchors
  double hard_negative_weight =
      1;  // counts an anchor's own hard negatives that many times in its denominator
  FalseNegatives false_negatives = FalseNegatives::kKeep;
  FurtherColumns further = {};  // not with `symmetric`
  Hardness hardness = Hardness::kNone;
  double hardness_strength = 0;  // alpha: such a candidate's logit is (scale + alpha) s, the alpha
                                 // s a constant for the gradient
  double guide_margin = 0;       // where there are guide vectors, see below
  bool relative_margin = false;
};

// The candidates of anchor i are all positives and all hard negatives:
//   l_i = log sum_k w_ik exp(s(a_i, x_k)) - s(a_i, p_i), mean over the anchors,
// with w_ik = hard_negative_weight for the anchor's own hard negatives, and 1 for all others.
struct InBatchVectors {
  at::Tensor anchors, positives;  // [n, d]
  at::Tensor negatives = {};      // [m, d], or undefined
  at::Tensor owners = {};         // int64 [m]: the anchor that each hard negative was given for
  // int64 [n], [n], [m]: equal numbers for equal texts; needed for FalseNegatives::kMask only. A
  // candidate with the text of the anchor or of its positive then leaves that anchor's denominator.
  at::Tensor anchor_ids = {}, positive_ids = {}, negative_ids = {};
  // [n, g], [n, g], [m, g]: what a guide model makes of the same texts, without gradient; undefined
  // without one. With t_i = the cosine of the guide's a_i and p_i, a candidate whose cosine under
  // the guide is above t_i - margin (relative_margin: t_i - |t_i| margin) leaves the denominator of
  // anchor i.
  at::Tensor anchor_guides = {}, positive_guides = {}, negative_guides = {};
};

// float16 and bfloat16 are computed in float32, float64 stays. One pair without hard negatives
// gives exactly 0, and gradient 0 (but with further columns: doc_to_query has the pair itself among
// them).
at::Tensor in_batch_loss(const InBatchVectors& vectors, const InBatchOptions& options);

}  // namespace contrastive::objectives
