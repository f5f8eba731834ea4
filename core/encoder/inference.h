// The encoder's forward pass without gradients on the CPU, in float32 or with narrow products:
// token panels and the kernels of core/cpu. The same architecture as
// core/torch/nn/layer.h, on the same weights; a test holds the two equal.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "core/cpu/kernels.h"
#include "core/encoder/inference_weights.h"
#include "core/encoder/packed_tokens.h"

namespace contrastive::encoder {

// Whether the kernels compute all that the architecture asks for; otherwise it embeds on LibTorch's
// operations.
bool kernels_infer(const Architecture& architecture);

// Called on the calling thread with the hidden states of a wanted layer, row-major and valid during
// the call: [tokens, hidden], or [texts, hidden] where `first_only`: those of each text's first
// token.
using StateSink = std::function<void(int64_t layer, const float* states, bool first_only)>;

// Runs the embedding block and the layers up to the last wanted one, on up to `most_threads`
// threads, and hands over the states of the layers in `wanted` (0 = embeddings; ascending); of the
// last one those of the first tokens will do where `first_will_do`, which saves the others the way
// behind the attention and changes no bit. The result does not depend on the number of threads. The
// first form is for weights that are plain floats, the second for narrow ones of the kernels'
// format.
void run_on_cpu(const Architecture& options, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink,
                const cpu::EncodeKernels& kernels = *cpu::kernels().encode);
void run_on_cpu(const Architecture& options, const InferenceWeights& weights,
                const PackedTokens& tokens, const std::vector<int64_t>& wanted, bool first_will_do,
                int most_threads, const StateSink& sink, const cpu::NarrowKernels& kernels);

// y = x W^T + b on plain rows: x [rows, in], y [rows, out], with weights that are plain floats.
void dense_rows(const float* x, int64_t rows, const LinearView& linear, int64_t in, int64_t out,
                float* y);

}  // namespace contrastive::encoder
