// The encoder on the CPU in float32, over the kernels of core/encoder/kernels.
#pragma once

#include "core/encoder/encoder.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

class CpuEncoder : public Encoder {
 public:
  // Takes over `weights` by their Hugging Face names, without copying: who changes their numbers changes the encoder. See take_weights.
  CpuEncoder(const EncoderOptions& options, const TensorMap& weights);

  const EncoderWeights& weights() const { return weights_; }

  runtime::Device device() const override { return {}; }
  runtime::Precision precision() const override { return runtime::Precision::kFloat32; }
  bool has_pooler() const override { return weights_.pooler.weight.defined(); }
  bool computes_on_caller() const override { return true; }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;
  std::shared_ptr<Encoder> clone() const override;
  void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings, const std::vector<const uint8_t*>& keeps, float* out,
             int most_threads) const override;

 private:
  EncoderWeights weights_;
};

}  // namespace contrastive::encoder
