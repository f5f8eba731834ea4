// The encoder that a method tunes: a copy of the start model whose weights take gradients, and what
// every such method does with it: tokens of a batch, several views in one packed forward pass,
// pooled vectors, and the model that is handed out in the end.
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

// What becomes of the dense modules behind the start model's pooling: kept as they are and left out
// of training, taken off, or trained too.
enum class DenseModules { kKeep, kDrop, kTrain };

constexpr int64_t kMostTexts = 64;  // of one example in one view; and views of one example

// The keys that all methods which tune the encoder have in common.
struct TunedEncoderOptions {
  std::string pooling;     // "" = the model's own
  int64_t max_length = 0;  // ids of a text, special tokens included; 0 = the model's
  bool dropout = true;     // the model's own dropout, with the probabilities of its config
  bool freeze_embeddings =
      false;         // word, position and type embeddings and their LayerNorm stay as they are
  LoraOptions lora;  // low-rank adapters in the place of the encoder's weights
  DenseModules dense = DenseModules::kKeep;  // no key: each method has its own rule
  const char* prefix = "";  // no key: the method's, under which the keys above stand in its config

  void visit(OptionVisitor& v);
  void visit_all_but_pooling(OptionVisitor& v);
  void validate(const Config& config) const;  // kArgument for a pooling that no model has, and for
                                              // a key that another one makes idle
  // The same for a model of this shape. A method's own max_length gives way to a model with less
  // room; another one that `config` asks for, and a pooling of layers that there are not, are
  // kArgument naming the key.
  TunedEncoderOptions fitted(const Config& config, const encoder::Architecture& shape) const;
  // Those of them that say what the encoder is and what of it trains: MethodTraits::encoder_keys.
  std::vector<std::string> shared_keys() const;
  // fitted() as MethodTraits::check_shape.
  std::function<void(const encoder::Architecture& shape)> shape_check(const Config& config) const;
};

// One view of the texts of a batch: which tokens, and which random stream. A view is what dropout
// tells apart.
struct View {
  const text::TokenBatch* tokens = nullptr;
  int64_t number = 0;                   // from 0: views of one batch have different numbers
  std::vector<int32_t> positions = {};  // [tokens] permuted places; empty for the usual order
  std::vector<int64_t> rows = {};  // [texts] the example of the batch each text belongs to; empty
                                   // where text i is of example i
  int64_t unpooled = 0;  // leading tokens of every text that pooling leaves out (a prompt's)
};

// The texts of several views end to end, as the encoder takes them. Owns its arrays.
class PackedViews {
 public:
  PackedViews(const data::Batch& batch, const std::vector<View>& views);

  encoder::PackedTokens tokens() const;
  const std::vector<int64_t>& offsets() const { return batch_.offsets; }
  // The rows of one view among those of all: [first, first + texts).
  int64_t first_text(size_t view) const { return first_text_[view]; }
  int64_t texts(size_t view) const { return first_text_[view + 1] - first_text_[view]; }
  // For Dropout::examples: a number for each text from (example, view), and for Dropout::epoch.
  const std::vector<uint64_t>& streams() const { return streams_; }
  const uint8_t* pooled() const {
    return pooled_.empty() ? nullptr : pooled_.data();
  }  // [tokens] 1 = takes part in pooling; null when all do
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

// What tells an example's random draws apart from all others': its place in the dataset and the
// epoch; for a batch that the caller brought, its row in the update and the number of the update.
uint64_t random_example(const data::Batch& batch, int64_t row);
uint64_t random_epoch(const data::Batch& batch);

// What trains of an encoder, and what it embeds with. Copies are the same weights. No aggregate:
// the targets of LoRA take memory by default (core/README.md).
struct TunedParts {
  TunedParts(std::shared_ptr<model::SentenceEncoder> copy, nn::TrainableEncoder weights)
      : model(std::move(copy)), encoder(std::move(weights)) {}

  std::shared_ptr<model::SentenceEncoder> model;
  nn::TrainableEncoder encoder;  // the weights of `model`, which embeds with what is trained here;
                                 // without the adapters
  encoder::Pooling pooling;
  DenseModules rule = DenseModules::kKeep;
  std::vector<nn::Dense>
      dense;  // the model's dense modules, where they train: in the memory that encode() reads
  LoraOptions lora;
  LoraAdapters adapters;
  std::vector<Parameter> parameters;
};

struct SharedEncoder {
  std::optional<TunedParts> parts;  // nothing before the first method is made
};

// One thread at a time, but for tokenize().
class TunedEncoder {
 public:
  // kArgument for a pooling or length that the model does not have. With context.shared the encoder
  // is that one, where it is there already: of `options` the lengths, the dropout and the prompts
  // hold, and kArgument says where the methods treat the model's dense modules differently.
  TunedEncoder(const MethodContext& context, const TunedEncoderOptions& options);

  // Any thread. Each text cut to max_length; `texts` are read, not kept.
  text::TokenBatch tokenize(const std::vector<std::string_view>& texts) const;
  text::TokenBatch tokenize(const std::vector<std::string_view>& texts,
                            const Prompt& prompt) const;  // the prompt before each of them
  text::TokenBatch tokenize_pairs(const std::vector<model::TextPair>& pairs,
                                  const Prompt& prompt) const;  // before each first text
  // Fills batch.tokens with one packed batch for the texts a and, where every example has one, one
  // for the texts b; each behind prompt().
  void tokenize_columns(data::Batch& batch) const;

  // The differentiable passes. `dropout` on or off goes before the options' own; off is the
  // evaluation mode.
  at::Tensor embed(const PackedViews& views,
                   std::optional<bool> dropout = {}) const;  // X[0] [tokens, hidden]
  std::vector<at::Tensor> run_layers(const at::Tensor& embedded, const PackedViews& views,
                                     std::optional<bool> dropout = {}) const;  // X[0] ... X[L]
  at::Tensor pool(const std::vector<at::Tensor>& states,
                  const PackedViews& views) const;  // [texts, hidden]
  at::Tensor apply_dense(const at::Tensor& pooled)
      const;  // the model's dense modules, where they train: [texts, dimension()]
  nn::Dropout dropout(const PackedViews& views,
                      std::optional<bool> wanted = {}) const;  // what these passes drop
  // All three: [texts of all views, hidden], view after view.
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
  int64_t max_length() const { return max_length_; }  // ids that a text is cut to
  // The model's default prompt, as it stands before every text that the delivered model embeds:
  // views of tokenize_columns() leave prompt().unpooled tokens out of pooling.
  const Prompt& prompt() const { return prompt_; }

  // Evaluation mode, pooled by `pooling` ("" = the options'), as the delivered model gives them but
  // not normalised.
  int64_t dimension() const;
  void embed_texts(const std::vector<std::string_view>& texts, float* embeddings,
                   const Cancel* cancel = nullptr) const;
  std::shared_ptr<model::SentenceEncoder> deliver(
      const tensors::TorchTensorMap& weights = {}) const;  // as Method::deliver()

 private:
  TunedEncoderOptions options_;
  uint64_t seed_ = 1;
  TunedParts parts_;
  int64_t max_length_ = 0;
  Prompt prompt_;
};

}  // namespace contrastive::methods
