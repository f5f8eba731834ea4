// An encoder on the CPU with its matrices in int8 or bfloat16. It can only embed: the original
// weights are not kept.
#pragma once

#include "core/cpu/kernels.h"
#include "core/encoder/cpu_encoder.h"
#include "core/encoder/narrow_weights.h"

namespace contrastive::encoder {

class NarrowEncoder : public CpuEncoder {
 public:
  // Rounds `weights`, which are looked up by their Hugging Face names (see take_weights); the
  // caller may free them afterwards. The processor must have kernels for this format.
  NarrowEncoder(const Architecture& architecture, const TensorMap& weights, cpu::Narrow format);

  runtime::Precision precision() const override;
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;  // kState in int8
  int64_t weight_bytes() const override;
  void visit_bytes(
      const std::function<void(const std::string& name, std::string_view bytes)>& f) const override;
  std::shared_ptr<Encoder> clone() const override {
    return std::make_shared<NarrowEncoder>(*this);
  }  // the weights never change, so copies share them
  const InferenceWeights& view() const override { return weights_->view(); }
  const cpu::NarrowKernels* narrow_kernels() const override {
    return cpu::narrow_kernels(weights_->format());
  }

 private:
  std::shared_ptr<const NarrowWeights> weights_;
};

}  // namespace contrastive::encoder
