// An encoder with a classification head, for fine-tuning: a copy of the start model whose weights
// take gradients, and the head of BERT or of RoBERTa, or any pooling with one linear layer
// (core/torch/nn/README.md 3). Token ids in, one row of logits (or one score) for each text out.
#pragma once

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/cancel.h"
#include "core/base/options.h"
#include "core/model/sentence_encoder.h"
#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/torch/optim/mixed_precision.h"
#include "core/torch/optim/parameter.h"
#include "core/text/token_batch.h"

namespace contrastive::eval {

// What comes between the encoder's last states and the logits:
//   kBert     first token -> pooler (dense, tanh; the model's own if it has one) -> dropout ->
//   linear
//   kRoberta  first token -> dropout -> dense -> tanh -> dropout -> linear
//   kLinear   pooling -> dropout -> linear
// kFamily is the form of the model's own family.
enum class HeadKind { kFamily, kBert, kRoberta, kLinear };

struct ClassifierOptions {
  HeadKind head = HeadKind::kFamily;
  std::string pooling;   // for kLinear; "" = the model's own
  double dropout = 0.1;  // in the encoder: hidden states and attention probabilities
  double head_dropout = 0.1;
  optim::Amp amp = optim::Amp::kOff;

  void visit(OptionVisitor& v);
};

// Not thread-safe.
class SequenceClassifier {
 public:
  // Fresh matrices come from N(0, initializer_range), biases are 0: a function of the seed. `start`
  // is copied and not changed; what follows its pooling (dense modules, normalisation) is not used.
  // kArgument for a pooling that the model does not have, for a pooling with another head than
  // kLinear, and for a model that is not in float32.
  SequenceClassifier(const model::SentenceEncoder& start, int64_t outputs,
                     const ClassifierOptions& options, uint64_t seed);

  // The differentiable pass: [texts, outputs] float32. `examples` [texts] and `epoch` decide what
  // dropout drops.
  at::Tensor forward(const text::TokenBatch& batch, const std::vector<uint64_t>& examples,
                     uint64_t epoch) const;
  // Evaluation mode, for any number of texts: [texts, outputs] float32 on the CPU, in order.
  // `cancel` is polled between packed batches.
  at::Tensor predict(const text::TokenBatch& batch, const Cancel* cancel) const;

  // The trainable parameters: the encoder's weights, its pooler only if the head uses it, and
  // "classifier.*", named as in transformers.
  const std::vector<optim::Parameter>& parameters() const { return parameters_; }
  int64_t outputs() const { return classifier_.weight.size(0); }

 private:
  void add_parameter(const std::string& name, const at::Tensor& tensor);
  nn::TorchLinear fresh(const std::string& name, int64_t out, int64_t in, uint64_t number);
  at::Tensor apply_head(const at::Tensor& pooled, const nn::Dropout& dropout) const;
  at::Tensor drop(const at::Tensor& x, const nn::Dropout& dropout, int64_t site) const;

  ClassifierOptions options_;
  uint64_t seed_;
  std::shared_ptr<model::SentenceEncoder> model_;
  // The weights of model_, so model_ embeds with what is trained here.
  std::optional<nn::TrainableEncoder> encoder_;
  encoder::Pooling pooling_;
  nn::TorchLinear dense_, classifier_;  // `dense_` is undefined for kLinear
  std::vector<optim::Parameter> parameters_;
};

}  // namespace contrastive::eval
