// The encoder's forward pass on the CPU, without gradients, in float32 or with narrow products, on
// token panels with the kernels of core/cpu. core/torch/nn/layer.h implements the same architecture
// on the same weights; a test compares the two.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/cpu/kernels.h"
#include "core/encoder/inference_weights.h"
#include "core/encoder/packed_tokens.h"

namespace contrastive::encoder {

// Whether the kernels can compute this architecture. Otherwise LibTorch's operations compute its
// embeddings.
bool kernels_infer(const Architecture& architecture);

// Called on the calling thread with the hidden states of a requested layer, row-major and valid
// during the call: [tokens, hidden], or if `first_only`, only those of each text's first token:
// [texts, hidden].
using StateSink = std::function<void(int64_t layer, const float* states, bool first_only)>;

// Runs the embedding block and the layers up to the last requested one, on at most `most_threads`
// threads, and passes on the states of the layers in `wanted` (0 = embeddings; ascending). If
// `first_will_do`, the states of the first tokens are enough for the last layer: the steps after
// its attention then skip the other tokens, which changes no bit of the result. The result does not
// depend on the number of threads. The first overload is for plain float weights, the second for
// narrow weights in the kernels' format.
void run_on_cpu(const Architecture& options, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink,
                const cpu::EncodeKernels& kernels = *cpu::kernels().encode);
void run_on_cpu(const Architecture& options, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink, const cpu::NarrowKernels& kernels);

// y = x W^T + b on plain rows: x [rows, in], y [rows, out]. The weights are plain floats.
void dense_rows(const float* x, int64_t rows, const LinearView& linear, int64_t in, int64_t out,
                float* y);

}  // namespace contrastive::encoder
