// An encoder's weights in few bits, for inference on the CPU: the matrices of the layers and the
// word embeddings in int8 or bfloat16, and what is small (biases, norms, positions, token types,
// the pooler) as floats: as they were for int8, rounded for bfloat16. Made once, then only read.
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
  // Rounds `source`, which may go afterwards.
  NarrowWeights(const Architecture& architecture, const EncoderWeights& source, cpu::Narrow format);
  NarrowWeights(const NarrowWeights&) = delete;
  NarrowWeights& operator=(const NarrowWeights&) = delete;

  const InferenceWeights& view() const { return view_; }
  cpu::Narrow format() const { return format_; }
  // The numbers as they are now, in float32.
  EncoderWeights floats(const Architecture& architecture) const;
  // Of int8: hands over every byte that decides a result, in an order that does not change.
  void visit_bytes(const std::function<void(std::string_view)>& f) const;

 private:
  // One tensor: a matrix in few bits, or floats.
  struct Piece {
    NarrowMatrix matrix;
    std::vector<float> floats;
  };
  Numbers numbers(const Piece* piece) const;
  Piece rounded(const std::string& name, const Tensor& values) const;

  cpu::Narrow format_;
  std::deque<Piece> pieces_;  // whose addresses the view holds, in the order of visit_weights()
  bool pooler_;
  InferenceWeights view_;
};

}  // namespace contrastive::encoder
