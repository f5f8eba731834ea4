// The encoder that a method tunes: a copy of the start model whose weights take gradients. It does
// what every such method needs: tokenizes a batch, computes several views in one packed forward
// pass, pools vectors, and makes the delivered model.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/options.h"
#include "core/torch/methods/lora_adapters.h"
#include "core/torch/methods/lora_options.h"
#include "core/torch/methods/method.h"
#include "core/torch/methods/pooling_key.h"
#include "core/torch/methods/prompt.h"
#include "core/torch/nn/dense.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/text/token_batch.h"

namespace contrastive::methods {

// What happens to the dense modules after the start model's pooling: kept but not trained, removed,
// or trained.
enum class DenseModules { kKeep, kDrop, kTrain };

// Most texts of one example in one view, and most views of one example.
constexpr int64_t kMostTexts = 64;

// The keys that all methods which tune the encoder share.
struct TunedEncoderOptions {
  std::string pooling;     // "" = the model's own
  int64_t max_length = 0;  // most ids of a text, special tokens included; 0 = the model's
  bool dropout = true;     // the model's own dropout, with the probabilities of its config
  // Do not train the word, position and type embeddings and their LayerNorm.
  bool freeze_embeddings = false;
  LoraOptions lora;                          // low-rank adapters in place of the encoder's weights
  DenseModules dense = DenseModules::kKeep;  // not a key: each method has its own rule
  const char* prefix = "";                   // not a key: the method's prefix of the keys above

  void visit(OptionVisitor& v);
  void visit_all_but_pooling(OptionVisitor& v);
  // kArgument for an unknown pooling, and for a key that another one makes ineffective.
  void validate(const Config& config) const;
  // The same for a model of this shape. A method's default max_length is reduced to what the model
  // has. kArgument names the key if `config` sets a max_length above that, or a pooling of layers
  // that the model does not have.
  TunedEncoderOptions fitted(const Config& config, const encoder::Architecture& shape) const;
  // Those of these keys that define the encoder and what of it trains: MethodTraits::encoder_keys.
  std::vector<std::string> shared_keys() const;
  // fitted() as MethodTraits::check_shape.
  std::function<void(const encoder::Architecture& shape)> shape_check(const Config& config) const;
};

// One view of the texts of a batch: which tokens, and which random stream. Different views get
// different dropout masks.
struct View {
  const text::TokenBatch* tokens = nullptr;
  int64_t number = 0;                   // from 0: the views of one batch have different numbers
  std::vector<int32_t> positions = {};  // [tokens] permuted positions; empty for the usual order
  // [texts] the example of the batch that each text belongs to; empty if text i belongs to example
  // i.
  std::vector<int64_t> rows = {};
  int64_t unpooled = 0;  // leading tokens of every text that pooling leaves out (those of a prompt)
};

// The texts of several views concatenated, as the encoder takes them. Owns its arrays.
class PackedViews {
 public:
  PackedViews(const data::Batch& batch, const std::vector<View>& views);

  encoder::PackedTokens tokens() const;
  const std::vector<int64_t>& offsets() const { return batch_.offsets; }
  // The rows of one view among those of all views: [first, first + texts).
  int64_t first_text(size_t view) const { return first_text_[view]; }
  int64_t texts(size_t view) const { return first_text_[view + 1] - first_text_[view]; }
  // For Dropout::examples: a number for each text, made from (example, view). epoch() is for
  // Dropout::epoch.
  const std::vector<uint64_t>& streams() const { return streams_; }
  const uint8_t* pooled() const {
    return pooled_.empty() ? nullptr : pooled_.data();
  }  // [tokens] 1 = takes part in pooling; null if all do
  uint64_t epoch() const { return epoch_; }

 private:
  void append_streams(const data::Batch& batch, const View& view);
  void append_positions(const View& view);
  void append_pooled(const View& view);

  text::TokenBatch batch_;
  std::vector<int32_t> positions_;
  std::vector<int64_t> first_text_;
  std::vector<uint64_t> streams_;
  std::vector<uint8_t> pooled_;
  uint64_t epoch_ = 0;
};

// Identifies the random draws of an example: its index in the dataset and the epoch, or, for a
// batch that the caller passed, its row in the update and the number of the update.
uint64_t random_example(const data::Batch& batch, int64_t row);
uint64_t random_epoch(const data::Batch& batch);

// What trains of an encoder, and the model that embeds with it. Copies share the weights. This is
// not an aggregate, because the targets of LoRA allocate by default (core/README.md).
struct TunedParts {
  TunedParts(std::shared_ptr<model::SentenceEncoder> copy, nn::TrainableEncoder weights)
      : model(std::move(copy)), encoder(std::move(weights)) {}

  std::shared_ptr<model::SentenceEncoder> model;
  // Has the weights of `model`, so `model` embeds with what is trained here, except for the
  // adapters.
  nn::TrainableEncoder encoder;
  encoder::Pooling pooling;
  DenseModules rule = DenseModules::kKeep;
  // The model's dense modules, if they train: in the memory that encode() reads.
  std::vector<nn::Dense> dense;
  LoraOptions lora;
  LoraAdapters adapters;
  std::vector<Parameter> parameters;
};

struct SharedEncoder {
  std::optional<TunedParts> parts;  // empty until the first method is made
};

// Not thread-safe, except for tokenize().
class TunedEncoder {
 public:
  // kArgument for a pooling or length that the model does not have. If context.shared already has
  // an encoder, that encoder is used: of `options` only the lengths, the dropout and the prompts
  // apply, and kArgument is thrown if the methods treat the model's dense modules differently.
  TunedEncoder(const MethodContext& context, const TunedEncoderOptions& options);

  // Any thread may call this. Cuts each text to max_length; `texts` are read, not kept.
  text::TokenBatch tokenize(const std::vector<std::string_view>& texts) const;
  // With the prompt before each text.
  text::TokenBatch tokenize(const std::vector<std::string_view>& texts, const Prompt& prompt) const;
  // Before each first text.
  text::TokenBatch tokenize_pairs(const std::vector<model::TextPair>& pairs,
                                  const Prompt& prompt) const;
  // Fills batch.tokens with one packed batch for the texts a and, if every example has one, one for
  // the texts b; each text follows prompt().
  void tokenize_columns(data::Batch& batch) const;

  // The differentiable passes. `dropout`, if set, overrides the options; off is evaluation mode.
  at::Tensor embed(const PackedViews& views,
                   std::optional<bool> dropout = {}) const;  // X[0] [tokens, hidden]
  std::vector<at::Tensor> run_layers(const at::Tensor& embedded, const PackedViews& views,
                                     std::optional<bool> dropout = {}) const;  // X[0] ... X[L]
  at::Tensor pool(const std::vector<at::Tensor>& states,
                  const PackedViews& views) const;  // [texts, hidden]
  // Applies the model's dense modules, if they train: [texts, dimension()].
  at::Tensor apply_dense(const at::Tensor& pooled) const;
  // The dropout of these passes.
  nn::Dropout dropout(const PackedViews& views, std::optional<bool> wanted = {}) const;
  // All three passes: [texts of all views, hidden], view after view.
  at::Tensor forward(const PackedViews& views, std::optional<bool> dropout = {}) const;

  // What trains: the encoder's own, never its pooler unless it pools, or the adapters in their
  // place; and "dense.*".
  const std::vector<Parameter>& parameters() const { return parts_.parameters; }
  nn::TrainableEncoder& encoder() { return parts_.encoder; }
  const nn::TrainableEncoder& encoder() const { return parts_.encoder; }
  const LoraAdapters& adapters() const { return parts_.adapters; }
  const encoder::Architecture& shape() const { return parts_.model->shape(); }
  const text::Tokenizer& tokenizer() const { return parts_.model->tokenizer(); }
  const model::SentenceEncoder& model() const { return *parts_.model; }
  int64_t hidden_size() const { return shape().hidden_size; }
  int64_t max_length() const { return max_length_; }  // most ids of a text
  // The model's default prompt, which the delivered model puts before every text that it embeds.
  // Views of tokenize_columns() leave prompt().unpooled tokens out of pooling.
  const Prompt& prompt() const { return prompt_; }

  // In evaluation mode, pooled by `pooling` ("" = that of the options): what the delivered model
  // gives, but not normalised.
  int64_t dimension() const;
  void embed_texts(const std::vector<std::string_view>& texts, float* embeddings,
                   const Cancel* cancel = nullptr) const;
  std::shared_ptr<model::SentenceEncoder> deliver(
      const tensors::TorchTensorMap& weights = {}) const;  // as in Method::deliver()

 private:
  TunedEncoderOptions options_;
  uint64_t seed_ = 1;
  TunedParts parts_;
  int64_t max_length_ = 0;
  Prompt prompt_;
};

}  // namespace contrastive::methods
