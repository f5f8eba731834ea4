// In-batch InfoNCE: every anchor must find its positive among the positives of all anchors and any
// number of hard negatives. This one function covers SimCSE's loss (Gao et al., 2021, equations 1
// and 5), MultipleNegativesRanking (Henderson et al., 2017) with further directions (Li et al.,
// 2023, GTE), hardness weighting (Lan et al., 2025) and GIST (Solatorio, 2024).
#pragma once

#include <ATen/core/Tensor.h>

#include "core/torch/objectives/nt_xent.h"

namespace contrastive::objectives {

enum class Similarity { kCosine, kDot };
// Which negatives weigh more the more similar they are to the anchor: none, those of other anchors,
// the anchor's own hard negatives, or both.
enum class Hardness { kNone, kInBatch, kHard, kAll };

// What else is in the denominator of anchor i with positive p_i, besides all positives and hard
// negatives.
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
  // The mean of both directions; the second finds each positive's anchor among all anchors.
  bool symmetric = false;
  // How many times an anchor's own hard negatives count in its denominator.
  double hard_negative_weight = 1;
  FalseNegatives false_negatives = FalseNegatives::kKeep;
  FurtherColumns further = {};  // not with `symmetric`
  Hardness hardness = Hardness::kNone;
  // Alpha: the logit of such a candidate is (scale + alpha) s, where alpha s is a constant for the
  // gradient.
  double hardness_strength = 0;
  double guide_margin = 0;  // used if there are guide vectors, see below
  bool relative_margin = false;
};

// The candidates of anchor i are all positives and all hard negatives:
//   l_i = log sum_k w_ik exp(s(a_i, x_k)) - s(a_i, p_i), mean over the anchors;
//   w_ik = hard_negative_weight for the anchor's own hard negatives, otherwise 1.
struct InBatchVectors {
  at::Tensor anchors, positives;  // [n, d]
  at::Tensor negatives = {};      // [m, d], or undefined
  at::Tensor owners = {};         // int64 [m]: the anchor that each hard negative belongs to
  // int64 [n], [n], [m]: equal numbers for equal texts; needed only for FalseNegatives::kMask. A
  // candidate with the text of the anchor or of its positive is then left out of that anchor's
  // denominator.
  at::Tensor anchor_ids = {}, positive_ids = {}, negative_ids = {};
  // [n, g], [n, g], [m, g]: a guide model's vectors of the same texts, without gradient; undefined
  // without a guide. Let t_i be the cosine of the guide's a_i and p_i. A candidate whose cosine
  // under the guide is above t_i - margin (relative_margin: t_i - |t_i| margin) is left out of the
  // denominator of anchor i.
  at::Tensor anchor_guides = {}, positive_guides = {}, negative_guides = {};
};

// float16 and bfloat16 are computed in float32; float64 stays. One pair without hard negatives
// gives exactly 0, with gradient 0 (except with doc_to_query, whose columns include the pair
// itself).
at::Tensor in_batch_loss(const InBatchVectors& vectors, const InBatchOptions& options);

}  // namespace contrastive::objectives
