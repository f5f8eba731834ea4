// A static encoder, without layers: a table with one vector for each token. The vector of a text is
// the mean of its tokens' vectors (model2vec, sentence-transformers' StaticEmbedding). Rows are
// added directly from the table, so embedding a text costs little more than tokenising it.
#pragma once

#include "core/encoder/encoder.h"

namespace contrastive::encoder {

// The architecture of such an encoder: a table of `rows` vectors of `width` numbers, and nothing
// else.
Architecture static_architecture(int64_t rows, int64_t width);
inline bool is_static(const Architecture& architecture) {
  return architecture.num_hidden_layers == 0;
}

class StaticEncoder : public Encoder {
 public:
  // Shares the numbers of the table. Throws kNotFound or kMismatch like take_floats().
  StaticEncoder(const Architecture& architecture, const TensorMap& weights);

  runtime::Device device() const override { return {}; }
  runtime::Precision precision() const override { return runtime::Precision::kFloat32; }
  bool has_pooler() const override { return false; }
  const char* computed_by() const override { return "kernels"; }
  bool computes_on_caller() const override { return true; }
  std::vector<std::pair<std::string, Tensor>> named_parameters() const override;
  std::shared_ptr<Encoder> clone() const override;
  // A text without tokens, or without a kept token, gives 0.
  void infer(const PackedTokens& tokens, const std::vector<Pooling>& poolings,
             const std::vector<const uint8_t*>& keeps, float* out, int most_threads) const override;

 private:
  Tensor table_;
};

}  // namespace contrastive::encoder
