// An encoder without layers: a table of one vector for each token, and a text is the mean of its
// tokens' (model2vec, sentence-transformers' StaticEmbedding). Rows are gathered and added where
// they lie, so that a text costs little more than its tokenisation.
#pragma once

#include "core/encoder/encoder.h"

namespace contrastive::encoder {

// What such an encoder is made of: `rows` vectors of `width` numbers, and nothing else.
Architecture static_architecture(int64_t rows, int64_t width);
inline bool is_static(const Architecture& architecture) {
  return architecture.num_hidden_layers == 0;
}

class StaticEncoder : public Encoder {
 public:
  // Shares the numbers of the table. kNotFound or kMismatch as take_floats().
  StaticEncoder(const Architecture& architecture, const TensorMap& weights);

  runtime::Device device() const override { return {}; }
  runtime::Precision precision() const override { return runtime::Precision::kFloat32; }
  bool has_pooler() const override { return false; }
  const char* computed_by() const override { return "kernels"; }
  bool computes_on_caller() const override { return true; }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;
  std::shared_ptr<Encoder> clone() const override;
  // A text without tokens, or without one that is kept, gives 0.
  void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
             const std::vector<const uint8_t*>& keeps, float* out, int most_threads) const override;

 private:
  Tensor table_;
};

}  // namespace contrastive::encoder
