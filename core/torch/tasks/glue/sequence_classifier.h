// An encoder with a classification head, as it is fine-tuned: a copy of the start model whose
// weights take gradients, and the head that BERT or RoBERTa put on it, or any pooling with one
// linear layer (core/torch/nn/README.md 3). Token ids in, one row of logits (or one score) a
// text out.
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
//   kBert     first token -> pooler (dense, tanh; the model's own if it has one) -> dropout
//             -> linear
//   kRoberta  first token -> dropout -> dense -> tanh -> dropout -> linear
//   kLinear   pooling -> dropout -> linear
//   kFamily   the form of the model's own family
enum class HeadKind { kFamily, kBert, kRoberta, kLinear };

struct ClassifierOptions {
  HeadKind head = HeadKind::kFamily;
  std::string pooling;   // of kLinear; "" = the model's own
  double dropout = 0.1;  // in the encoder: hidden states and attention probabilities
  double head_dropout = 0.1;
  optim::Amp amp = optim::Amp::kOff;

  void visit(OptionVisitor& v);
};

// One thread at a time.
class SequenceClassifier {
 public:
  // Fresh matrices come from N(0, initializer_range), biases are 0: a function of the seed. `start`
  // is copied and stays as it is; what follows its pooling (dense modules, normalisation) takes no
  // part. kArgument for a pooling it does not have, or one given to a head that has none to choose,
  // and for a model that is not in float32.
  SequenceClassifier(const model::SentenceEncoder& start, int64_t outputs,
                     const ClassifierOptions& options, uint64_t seed);

  // The differentiable pass: [texts, outputs] float32. `examples` [texts] and `epoch` decide what
  // dropout drops.
  at::Tensor forward(const text::TokenBatch& batch, const std::vector<uint64_t>& examples,
                     uint64_t epoch) const;
  // Evaluation mode, any number of texts: [texts, outputs] float32 on the CPU, in their order.
  // `cancel` is looked at between packed batches.
  at::Tensor predict(const text::TokenBatch& batch, const Cancel* cancel) const;

  // What trains: the encoder's weights, its pooler only where the head uses it, and "classifier.*"
  // by Hugging Face's names.
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
  std::optional<nn::TrainableEncoder>
      encoder_;  // the weights of model_, which embeds with what is trained here
  encoder::Pooling pooling_;
  nn::TorchLinear dense_, classifier_;  // `dense_` is undefined for kLinear
  std::vector<optim::Parameter> parameters_;
};

}  // namespace contrastive::eval
