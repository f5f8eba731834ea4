// The states of an encoder by the kernels of the CPU.
#pragma once

#include <ATen/TensorOperators.h>
#include <ATen/ops/from_blob.h>

#include "core/encoder/inference.h"
#include "core/torch/nn/trainable_encoder.h"
#include "tests/core/torch/nn/sample_encoder.h"

namespace contrastive::nn {

using namespace encoder;  // nn's own names come first

inline double largest_difference(const at::Tensor& a, const at::Tensor& b) {
  return (a - b).abs().max().item<double>();
}

// The states of one layer, computed by one build of the CPU kernels.
inline at::Tensor states_on_cpu(const TrainableEncoder& encoder, const SampleBatch& batch,
                                int64_t layer, const cpu::EncodeKernels& table, int threads = 1) {
  at::Tensor result;
  run_on_cpu(
      encoder.architecture(), on_cpu(encoder).view(), batch.view(), {layer}, false, threads,
      [&](int64_t, const float* states, bool) {
        result = at::from_blob(const_cast<float*>(states),
                               {batch.view().tokens(), encoder.architecture().hidden_size})
                     .clone();
      },
      table);
  return result;
}

}  // namespace contrastive::nn
