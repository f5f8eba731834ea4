// An encoder's weights in int8 or bfloat16, for inference on the CPU. The matrices of the layers
// and the word embeddings are narrow. Small tensors (biases, norms, positions, token types, the
// pooler) are floats: unchanged for int8, rounded for bfloat16. Immutable.
#pragma once

#include <deque>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/encoder/inference_weights.h"
#include "core/encoder/weights.h"

namespace contrastive::encoder {

class NarrowWeights {
 public:
  // Rounds `source`, which the caller may free afterwards.
  NarrowWeights(const Architecture& architecture, const EncoderWeights& source, cpu::Narrow format);
  NarrowWeights(const NarrowWeights&) = delete;
  NarrowWeights& operator=(const NarrowWeights&) = delete;

  const InferenceWeights& view() const { return view_; }
  cpu::Narrow format() const { return format_; }
  // The rounded numbers in float32.
  EncoderWeights floats(const Architecture& architecture) const;
  // Passes every byte that affects a result, always in the same order.
  void visit_bytes(const std::function<void(std::string_view)>& f) const;

 private:
  // One tensor: a narrow matrix or floats.
  struct Piece {
    NarrowMatrix matrix;
    std::vector<float> floats;
  };
  Numbers numbers(const Piece* piece) const;
  Piece rounded(const std::string& name, const Tensor& values) const;

  cpu::Narrow format_;
  std::deque<Piece> pieces_;  // in the order of visit_weights(); the view points to them
  bool pooler_;
  InferenceWeights view_;
};

}  // namespace contrastive::encoder
