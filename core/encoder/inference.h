// The encoder's forward pass without gradients on the CPU in float32: token panels and the kernels of core/encoder/kernels. The same architecture as
// core/nn/layer.h, on the same weights; a test holds the two equal.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/encoder/kernels/kernel_table.h"
#include "core/encoder/packed_tokens.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

// Called by one thread with the hidden states of a wanted layer: [tokens, hidden] row-major, valid during the call.
using StateSink = std::function<void(int64_t layer, const float* states)>;

// Runs the embedding block and the layers up to the last wanted one, on up to `most_threads` threads, and hands over the states of the layers
// in `wanted` (0 = embeddings; ascending). The result does not depend on the number of threads.
void run_on_cpu(const EncoderOptions& options, const EncoderWeights& weights, const PackedTokens& tokens, const std::vector<int64_t>& wanted,
                int most_threads, const StateSink& sink, const kernels::KernelTable& kernels = kernels::best_kernels());

struct DenseWeights {
  const float* weight = nullptr;  // [out, in]
  const float* bias = nullptr;    // [out] or nullptr
  int64_t in = 0, out = 0;
};

// y = x W^T + b on plain rows: x [rows, in], y [rows, out].
void dense_rows(const float* x, int64_t rows, const DenseWeights& weights, float* y);

}  // namespace contrastive::encoder
