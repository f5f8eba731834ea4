// The head of masked language modelling that a run begins with: the checkpoint's if it has one,
// otherwise a fresh one.
#pragma once

#include <cstdint>

#include "core/torch/methods/tuned_encoder.h"
#include "core/torch/nn/mlm_head.h"

namespace contrastive::methods {

// For a vocabulary of `words`, on the encoder's device, with gradients.
nn::MlmHead start_mlm_head(const TunedEncoder& encoder, int64_t words, uint64_t seed);

}  // namespace contrastive::methods
