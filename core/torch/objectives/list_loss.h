// Listwise losses of a reranker's logits: the documents of one query compete only with each other.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::objectives {

// Several lists, concatenated.
struct ScoredLists {
  at::Tensor logits;             // [n]
  at::Tensor labels;             // float64 [n]: larger means more relevant
  std::vector<int64_t> lengths;  // of each list, at least 1; their sum is n
};

// The target of the softmax of a list's logits: the labels divided by their sum, or their softmax.
enum class ListTarget { kShare, kSoftmax };

// The mean over the lists of the cross-entropy -sum_i t_i log softmax(z)_i. With kSoftmax it is
// ListNet (Cao et al., 2007; sentence-transformers' ListNetLoss). With kShare and one label above 0
// it is -log of the softmax of that document. With kShare, kArgument for a label below 0 or a list
// without a label above 0. float16 and bfloat16 are computed in float32; float64 stays.
at::Tensor list_cross_entropy(const ScoredLists& lists, ListTarget target);

// The weight of a pair of documents in the wrong order (Wang et al., 2018): LambdaRank, NDCGLoss2,
// 10 NDCGLoss2 + LambdaRank, or 1.
enum class LambdaWeights { kLambdaRank, kNdcgLoss2, kNdcgLoss2PlusPlus, kNone };

// sentence-transformers' LambdaLoss. Each list is sorted by its logits. The loss is the mean of
// -weight log2 sigmoid(z_i - z_j) over all lists and all pairs in which document i has the higher
// label and at least one of the two is among the first `top` (0 = all). Without such a pair it is
// exactly 0, with gradient 0.
at::Tensor lambda_loss(const ScoredLists& lists, LambdaWeights weights, int64_t top);

}  // namespace contrastive::objectives
