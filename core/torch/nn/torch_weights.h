// The encoder's parameters as LibTorch tensors, and the names of core/encoder that all files of
// this folder use.
#pragma once

#include <ATen/core/Tensor.h>

#include "core/encoder/packed_tokens.h"
#include "core/encoder/pooling.h"
#include "core/encoder/weights.h"

namespace contrastive::nn {

using encoder::Activation;
using encoder::Architecture;
using encoder::PackedTokens;
using encoder::Pooling;
using encoder::Reduce;

using TorchLinear = encoder::LinearOf<at::Tensor>;
using TorchNorm = encoder::NormOf<at::Tensor>;
using TorchEmbeddingWeights = encoder::EmbeddingWeightsOf<at::Tensor>;
using TorchLayerWeights = encoder::LayerWeightsOf<at::Tensor>;
using TorchEncoderWeights = encoder::EncoderWeightsOf<at::Tensor>;

}  // namespace contrastive::nn
