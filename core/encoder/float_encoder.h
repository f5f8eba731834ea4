// An encoder on the CPU in float32.
#pragma once

#include "core/encoder/cpu_encoder.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

class FloatEncoder : public CpuEncoder {
 public:
  // Uses `weights` under their Hugging Face names without copying them: changing their numbers
  // changes the encoder. See take_weights.
  FloatEncoder(const Architecture& architecture, const TensorMap& weights);

  runtime::Precision precision() const override { return runtime::Precision::kFloat32; }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;
  std::shared_ptr<Encoder> clone() const override;
  const InferenceWeights& view() const override { return view_; }

 private:
  EncoderWeights weights_;
  InferenceWeights view_;  // of weights_
};

}  // namespace contrastive::encoder
