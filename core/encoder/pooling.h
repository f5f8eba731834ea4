// Pooling: reduces the token states of a text to one vector, on plain float rows with sums in
// float32. core/encoder/README.md 1 defines every pooling. core/torch/nn/torch_pooling.h is the
// equivalent for LibTorch's tensors.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::encoder {

enum class Reduce { kCls, kClsPooler, kMean, kMax, kMeanSqrt, kWeightedMean, kLastToken };

// One pooling: reduces the hidden states of each listed layer, then averages over the layers. Layer
// 0 is the output of the embedding block.
struct Pooling {
  std::string name;
  Reduce reduce = Reduce::kMean;
  std::vector<int64_t> layers;
};

// Parses the name of a pooling. Throws kArgument, which names the nearest known name, or for
// "layer:k:cls|mean|max" the range of k. Layers count from 0, the output of the embedding block, to
// `num_layers`.
Pooling parse_pooling(const std::string& name, int64_t num_layers);
std::vector<std::string> pooling_names();  // for messages and cs_config_describe

// The weight of each token in its text's sum, for the reductions that are sums: [tokens].
std::vector<float> token_weights(Reduce reduce, const int64_t* offsets, int64_t texts,
                                 const uint8_t* keep);

// Reduces one layer's states [tokens, hidden] to [texts, hidden]. `keep` [tokens] (nullptr: all)
// omits tokens: cls is then the first kept token, lasttoken the last kept one. A text with no kept
// token gives 0, or its first token for cls. `reduce` must not be kClsPooler: its dense layer comes
// after kCls.
void reduce_tokens(Reduce reduce, const float* states, int64_t hidden, const int64_t* offsets,
                   int64_t texts, const uint8_t* keep, float* out);

}  // namespace contrastive::encoder
