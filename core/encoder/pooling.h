// From token states to one vector a text: every pooling of the literature, on plain float rows with
// sums in float32. On LibTorch's tensors: core/torch/nn/torch_pooling.h.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::encoder {

enum class Reduce { kCls, kClsPooler, kMean, kMax, kMeanSqrt, kWeightedMean, kLastToken };

// One pooling: reduce the hidden states of each layer listed, then average over the layers. Layer 0
// is the embedding block's output.
struct Pooling {
  std::string name;
  Reduce reduce = Reduce::kMean;
  std::vector<int64_t> layers;
};

// "cls", "cls-pooler", "mean", "max", "mean-sqrt", "weightedmean", "lasttoken", "last2" (last and
// last but one), "first-last" (X[1] and X[L]), "embed-last" (X[0] and X[L]),
// "layer:k:cls|mean|max". kArgument names the nearest known name, or the range of k.
Pooling parse_pooling(const std::string& name, int64_t num_layers);
std::vector<std::string> pooling_names();  // for messages and cs_config_describe

// The weight of each token in its text's sum, for the reductions that are sums: [tokens].
std::vector<float> token_weights(Reduce reduce, const int64_t* offsets, int64_t texts,
                                 const uint8_t* keep);

// One layer's states [tokens, hidden] -> [texts, hidden]. `keep` [tokens] (nullptr: all) leaves
// tokens out: cls is the first kept token, lasttoken the last one. A text without any kept token
// gives 0, and its first token with cls. `reduce` is not kClsPooler: its dense layer comes after
// kCls.
void reduce_tokens(Reduce reduce, const float* states, int64_t hidden, const int64_t* offsets,
                   int64_t texts, const uint8_t* keep, float* out);

}  // namespace contrastive::encoder
