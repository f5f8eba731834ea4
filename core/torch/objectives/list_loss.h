// Losses of a reranker's logits, list by list: the documents of one query compete with each other
// and with no others.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <vector>

namespace contrastive::objectives {

// Lists end to end.
struct ScoredLists {
  at::Tensor logits;             // [n]
  at::Tensor labels;             // float64 [n]: the larger, the more relevant
  std::vector<int64_t> lengths;  // of each list, 1 at least: they add up to n
};

// What a list's labels ask of the softmax of its logits: shares of their sum, or their own softmax.
enum class ListTarget { kShare, kSoftmax };

// The mean over the lists of the cross-entropy -sum_i t_i log softmax(z)_i. With kSoftmax it is
// ListNet (Cao et al., 2007; sentence-transformers' ListNetLoss); with kShare and one label above 0
// it is -log of the softmax of that document. kArgument where kShare finds a label below 0, or a
// list without one above. float16 and bfloat16 are computed in float32, float64 stays.
at::Tensor list_cross_entropy(const ScoredLists& lists, ListTarget target);

// How much a pair of documents that stand in the wrong order counts (Wang et al., 2018): as
// LambdaRank, as NDCGLoss2, as 10 NDCGLoss2 + LambdaRank, or 1.
enum class LambdaWeights { kLambdaRank, kNdcgLoss2, kNdcgLoss2PlusPlus, kNone };

// sentence-transformers' LambdaLoss. Each list is sorted by its logits; the loss is the mean, over
// all lists and all pairs of which the first document has the higher label and at least one stands
// among the first `top` (0 = all), of -weight log2 sigmoid(z_i - z_j). Without such a pair exactly
// 0, and gradient 0.
at::Tensor lambda_loss(const ScoredLists& lists, LambdaWeights weights, int64_t top);

}  // namespace contrastive::objectives
