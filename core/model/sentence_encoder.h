// A sentence encoder: tokenizer + encoder::Encoder + pooling + dense modules + normalisation.
// Training methods train it, and most evaluation tasks measure it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/options.h"
#include "core/encoder/encoder.h"
#include "core/io/model_folder.h"
#include "core/model/encode_plan.h"
#include "core/model/load_options.h"
#include "core/model/model.h"

namespace contrastive::model {

// How to embed texts. By default, every field uses the setting of the model folder.
struct EncodeOptions {
  std::string pooling;                // "" for the model's
  int normalize = -1;                 // -1 for the model folder's setting, 0 for no, 1 for yes
  int64_t truncate_dim = 0;           // 0 for the model's; otherwise the dimensions to keep, which
                                      // are normalised again
  std::optional<std::string> prompt;  // text before every text ("" for none); if unset, the model's
                                      // default prompt, if any
  std::string prompt_name;  // or the name of one of the model's prompts; kArgument if unknown
  std::vector<int32_t> exclude_ids;  // token ids that pooling omits
  int64_t max_length = 0;            // 0 for the model's
  int64_t batch_tokens = 0;          // token budget of one packed batch; 0 for automatic
  const Cancel* cancel = nullptr;    // checked between batches
};

// The pooling of one vector, when one forward pass computes several; see encode_variants.
struct PoolingVariant {
  std::string pooling;  // "" for that of the options
  std::vector<int32_t>
      exclude_ids;  // token ids that pooling omits, in addition to those of the options
};

class SentenceEncoder : public Model {
 public:
  static std::shared_ptr<SentenceEncoder> load(const std::string& path,
                                               const LoadOptions& options = {});
  explicit SentenceEncoder(io::ModelFolder folder, const LoadOptions& options = {});
  // Uses existing encoders and shares their weights. The weights of `folder` are empty.
  SentenceEncoder(io::ModelFolder folder, Replicas replicas);

  // Embeds texts: sorts them by length, packs them under a token budget and restores their order.
  // Writes `embeddings` [texts, dimension(options)], row-major float32, and if `token_counts` is
  // not null, the ids of each text before truncation [texts] (above max_length means that the text
  // was cut). Any number of threads may call this at once. If the model was loaded with
  // InvalidUtf8::kError, throws kFormat with the index of the first malformed text and the byte.
  void encode(const std::vector<std::string_view>& texts, const EncodeOptions& options,
              float* embeddings, int32_t* token_counts = nullptr) const;
  // Computes the vectors that encode() gives under each variant, with one forward pass for each
  // text: `embeddings` is [texts, variants, dimension]. Needs at least one variant. Throws
  // kArgument if their dimensions differ.
  void encode_variants(const std::vector<std::string_view>& texts, const EncodeOptions& options,
                       const std::vector<PoolingVariant>& variants, float* embeddings,
                       int32_t* token_counts = nullptr) const;
  // Embeds a packed batch that is already tokenised, in its order: [texts, dimension].
  std::vector<float> embed(const text::TokenBatch& batch, const EncodeOptions& options = {}) const;

  // The plan that encode() makes for these options. A caller can read the dimension from it before
  // it allocates the embeddings, and then pass the plan to encode(). Throws kArgument for options
  // that do not fit the model.
  EncodePlan plan(const EncodeOptions& options) const;
  void encode(const std::vector<std::string_view>& texts, EncodePlan plan, const Cancel* cancel,
              float* embeddings, int32_t* token_counts = nullptr) const;

  int64_t dimension() const;  // of its embeddings by default
  int64_t dimension(
      const EncodeOptions& options) const;  // kArgument for options that do not fit the model
  int64_t max_length() const override;
  const text::Tokenizer& tokenizer() const;
  const encoder::Architecture& shape() const;
  const io::ModelFolder& folder() const override;
  const Replicas& replicas() const override;  // they own the weights

  // For training. Do not call these while another thread encodes: the trainer works on its own copy
  // and hands it over at the end.
  const encoder::Encoder& encoder() const override;
  void set_dense(std::vector<io::DenseModule>
                     dense);  // replaces the modules after pooling (how CLSR delivers its MLP)
  void set_pooling(std::vector<std::string> poolings);
  void set_truncate_dim(int64_t dimensions);                     // 0 for whole vectors
  void set_prompts(std::map<std::string, std::string> prompts);  // name -> text; the name of the
                                                                 // default prompt stays
  void set_mlm_head(TensorMap head);  // save() writes it along with the encoder
                                      // (encoder::mlm_head_shapes); empty for none
  void set_card(io::ModelCard card) override;
  void set_adapter(
      std::shared_ptr<const io::Adapter> adapter);  // save() writes it along with the weights that
                                                    // it is merged into; null for none
  std::shared_ptr<SentenceEncoder> snapshot() const;  // an independent copy with the same weights

  void save(const std::string& path)
      const override;  // a sentence-transformers folder; see io::write_model_folder. kState in int8
  std::string fingerprint() const override;  // key of the embedding cache
  Json info() const override;                // for cs_model_info and `inspect`

 private:
  struct Parts;
  void run(const std::vector<std::string_view>& texts, const std::vector<EncodePlan>& plans,
           const Cancel* cancel, float* embeddings, int32_t* token_counts) const;

  std::shared_ptr<Parts> parts_;
};

}  // namespace contrastive::model
