// An encoder that embeds with LibTorch operations: for every device and precision that the CPU's
// kernels (core/encoder/cpu_encoder.h) do not cover.
#pragma once

#include "core/encoder/encoder.h"
#include "core/torch/nn/trainable_encoder.h"

namespace contrastive::nn {

class TorchEncoder : public encoder::Encoder {
 public:
  explicit TorchEncoder(nn::TrainableEncoder modules)
      : encoder::Encoder(modules.architecture()), modules_(std::move(modules)) {}

  const nn::TrainableEncoder& modules() const { return modules_; }

  runtime::Device device() const override;
  runtime::Precision precision() const override;
  bool has_pooler() const override { return modules_.has_pooler(); }
  const char* computed_by() const override { return "libtorch"; }
  bool computes_on_caller() const override { return device().is_cpu(); }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;
  int64_t weight_bytes() const override;
  std::shared_ptr<encoder::Encoder> clone() const override;
  void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
             const std::vector<const uint8_t*>& keeps, float* out, int most_threads) const override;

 private:
  nn::TrainableEncoder modules_;
};

// Implements TorchPlugin::make_encoder (core/runtime/torch_plugin.h).
std::shared_ptr<encoder::Encoder> make_torch_encoder(const Architecture& architecture,
                                                     const TensorMap& weights,
                                                     const runtime::Device& device,
                                                     runtime::Precision precision);

// Returns an encoder that trains the weights of `encoder`. Both share them, so `encoder` embeds
// with what an optimiser changes. kArgument if `encoder` has no weights in float32.
TrainableEncoder trainable(const encoder::Encoder& encoder);

}  // namespace contrastive::nn
