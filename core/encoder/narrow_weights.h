// An encoder's weights in few bits, for inference on the CPU: the matrices of the layers and the word embeddings in int8 or bfloat16, and what is
// small (biases, norms, positions, token types, the pooler) as floats: as they were for int8, rounded for bfloat16. Made once, then only read.
#pragma once

#include <deque>
#include <functional>
#include <string_view>
#include <vector>

#include "core/encoder/inference_weights.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

class NarrowWeights {
 public:
  // Rounds `source`, which may go afterwards.
  NarrowWeights(const EncoderOptions& options, const EncoderWeights& source, kernels::Narrow format);
  NarrowWeights(const NarrowWeights&) = delete;
  NarrowWeights& operator=(const NarrowWeights&) = delete;

  const InferenceWeights& view() const { return view_; }
  kernels::Narrow format() const { return format_; }
  // The numbers as they are now, in float32.
  EncoderWeights floats(const EncoderOptions& options) const;
  // Of int8: hands over every byte that decides a result, in an order that does not change.
  void visit_bytes(const std::function<void(std::string_view)>& f) const;

 private:
  const NarrowMatrix* narrow(const Tensor& values);
  const float* copy(const Tensor& values);
  LinearView linear(const Linear& source) { return {nullptr, narrow(source.weight), copy(source.bias)}; }
  NormView norm(const LayerNorm& source) { return {copy(source.weight), copy(source.bias)}; }

  kernels::Narrow format_;
  std::deque<NarrowMatrix> matrices_;  // whose addresses the view holds
  std::deque<std::vector<float>> floats_;
  InferenceWeights view_;
};

}  // namespace contrastive::encoder
