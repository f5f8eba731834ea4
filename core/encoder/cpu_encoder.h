// The common base of the encoders on the CPU: runs inference with the kernels of core/cpu.
#pragma once

#include "core/cpu/narrow.h"
#include "core/encoder/encoder.h"
#include "core/encoder/inference_weights.h"

namespace contrastive::encoder {

class CpuEncoder : public Encoder {
 public:
  runtime::Device device() const override { return {}; }
  bool has_pooler() const override { return view().pooler.weight != nullptr; }
  const char* computed_by() const override { return "kernels"; }
  bool computes_on_caller() const override { return true; }
  void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
             const std::vector<const uint8_t*>& keeps, float* out, int most_threads) const override;

  virtual const InferenceWeights& view() const = 0;
  virtual const cpu::NarrowKernels* narrow_kernels() const {
    return nullptr;
  }  // if its matrices are narrow, of the view's format

 protected:
  using Encoder::Encoder;
};

}  // namespace contrastive::encoder
