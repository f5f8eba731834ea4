// A sentence encoder: tokenizer + encoder::Encoder + pooling + dense modules + normalisation. It is
// what methods train and what most tasks of eval measure.
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

// How texts are embedded; every field has "as the model folder says" as its default.
struct EncodeOptions {
  std::string pooling;                // "" = the model's
  int normalize = -1;                 // -1 = as the model folder says, 0 = no, 1 = yes
  int64_t truncate_dim = 0;           // 0 = the model's; else what is kept, normalised again
  std::optional<std::string> prompt;  // text put before every text ("" = none); without one the
                                      // model's default prompt, if it has one
  std::string prompt_name;  // or the name of one of the model's prompts; kArgument when unknown
  std::vector<int32_t> exclude_ids;  // token ids that pooling leaves out
  int64_t max_length = 0;            // 0 = the model's
  int64_t batch_tokens = 0;          // token budget of one packed batch; 0 = chosen
  const Cancel* cancel = nullptr;    // looked at between batches
};

// What pooling does, where one forward pass serves several vectors; see encode_variants.
struct PoolingVariant {
  std::string pooling;  // "" = as the options say
  std::vector<int32_t>
      exclude_ids;  // token ids that pooling leaves out, besides those of the options
};

class SentenceEncoder : public Model {
 public:
  static std::shared_ptr<SentenceEncoder> load(const std::string& path,
                                               const LoadOptions& options = {});
  explicit SentenceEncoder(io::ModelFolder folder, const LoadOptions& options = {});
  // Of encoders that are there already, whose weights it shares; those of `folder` are empty.
  SentenceEncoder(io::ModelFolder folder, Replicas replicas);

  // Embeds texts: length-sorted, packed under a token budget, order restored. `embeddings` is
  // [texts, dimension(options)] row-major float32; `token_counts`, when not null, [texts]: ids of
  // each text before truncation (above max_length means it was cut). Any number of threads at once.
  // kFormat, where the model was loaded with InvalidUtf8::kError, with the index of the first text
  // that is malformed, and the byte.
  void encode(const std::vector<std::string_view>& texts, const EncodeOptions& options,
              float* embeddings, int32_t* token_counts = nullptr) const;
  // The vectors that encode() gives under each variant, from one forward pass a text: `embeddings`
  // is [texts, variants, dimension]. At least one variant; kArgument where their dimensions differ.
  void encode_variants(const std::vector<std::string_view>& texts, const EncodeOptions& options,
                       const std::vector<PoolingVariant>& variants, float* embeddings,
                       int32_t* token_counts = nullptr) const;
  // The same for a packed batch that is tokenised already, in its order: [texts, dimension].
  std::vector<float> embed(const text::TokenBatch& batch, const EncodeOptions& options = {}) const;

  // What encode() will do with these options, for a caller who wants to know the dimension before
  // there is room for the embeddings: encode() with the plan does not make it again. kArgument for
  // options that do not fit the model.
  EncodePlan plan(const EncodeOptions& options) const;
  void encode(const std::vector<std::string_view>& texts, EncodePlan plan, const Cancel* cancel,
              float* embeddings, int32_t* token_counts = nullptr) const;

  int64_t dimension() const;  // of the embeddings it gives by default
  int64_t dimension(
      const EncodeOptions& options) const;  // kArgument for options that do not fit the model
  int64_t max_length() const override;
  const text::Tokenizer& tokenizer() const;
  const encoder::Architecture& shape() const;
  const io::ModelFolder& folder() const override;
  const Replicas& replicas() const;  // the encoders that own the weights

  // The trainable half. Not to be used while another thread encodes: the trainer works on its own
  // copy and hands it over at the end.
  const encoder::Encoder& encoder() const override;
  void set_dense(std::vector<io::DenseModule>
                     dense);  // replaces the modules after pooling (how CLSR delivers its MLP)
  void set_pooling(std::vector<std::string> poolings);
  void set_truncate_dim(int64_t dimensions);  // 0: whole vectors
  void set_prompts(
      std::map<std::string, std::string> prompts);  // name -> text; the default's name stays
  void set_mlm_head(TensorMap head);                // what save() writes beside the encoder
                                                    // (encoder::mlm_head_shapes); empty = none
  void set_card(io::ModelCard card) override;
  void set_adapter(
      std::shared_ptr<const io::Adapter>
          adapter);  // what save() writes beside the weights that it is merged into; null = none
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
