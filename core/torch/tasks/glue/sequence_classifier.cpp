#include "core/torch/tasks/glue/sequence_classifier.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/tanh.h>
#include <ATen/ops/zeros.h>
#include <c10/core/GradMode.h>

#include <algorithm>
#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/torch/tensors/products.h"
#include "core/torch/nn/torch_encoder.h"
#include "core/host/fp_environment.h"
#include "core/runtime/thread_pool.h"
#include "core/runtime/threads.h"
#include "core/torch/tasks/glue/glue_tokens.h"

namespace contrastive::eval {
namespace {

// Tokens of one packed batch without a graph: one thread's work on the CPU (see
// sentence_encoder.cpp), enough to fill a GPU.
constexpr int64_t kCpuBatchTokens = 512, kCudaBatchTokens = 32768;

encoder::PackedTokens view(const text::TokenBatch& batch) {
  return {batch.ids.data(), batch.type_ids.empty() ? nullptr : batch.type_ids.data(),
          batch.offsets.data(), batch.texts()};
}

HeadKind resolved(HeadKind kind, encoder::ClassifierForm form) {
  if (kind != HeadKind::kFamily) return kind;
  switch (form) {
    case encoder::ClassifierForm::kPooler: return HeadKind::kBert;
    case encoder::ClassifierForm::kDense: return HeadKind::kRoberta;
  }
  TORCH_CHECK(false, "unknown form of a classifier ", static_cast<int>(form));
}

std::string pooling_of(const model::SentenceEncoder& model, const ClassifierOptions& options) {
  if (options.head != HeadKind::kLinear) {
    check(
        options.pooling.empty(), Status::kArgument,
        "config key 'pooling' goes with head = linear only: the other heads take the first token");
    return "cls";
  }
  if (!options.pooling.empty()) return options.pooling;
  const std::vector<std::string>& own = model.folder().poolings;
  check(own.size() == 1, Status::kArgument, "the model joins ", own.size(),
        " poolings; head = linear takes one: choose it with the key pooling");
  return own.front();
}

// Rows of similar length side by side, so that a packed batch is full: the longest first.
std::vector<std::vector<int64_t>> cut_by_length(const text::TokenBatch& batch, int64_t budget) {
  std::vector<int64_t> order(static_cast<size_t>(batch.texts()));
  std::iota(order.begin(), order.end(), int64_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](int64_t a, int64_t b) { return batch.length(a) > batch.length(b); });
  std::vector<std::vector<int64_t>> cuts;
  int64_t used = budget;
  for (const int64_t row : order) {
    if (used + batch.length(row) > budget) {
      cuts.emplace_back();
      used = 0;
    }
    cuts.back().push_back(row);
    used += batch.length(row);
  }
  return cuts;
}

}  // namespace

void ClassifierOptions::visit(OptionVisitor& v) {
  v.choice(
      "head", head,
      {{"family", HeadKind::kFamily},
       {"bert", HeadKind::kBert},
       {"roberta", HeadKind::kRoberta},
       {"linear", HeadKind::kLinear}},
      OptionDoc("head after the encoder: pooler, dropout, linear (bert); dropout, dense, tanh, "
                "dropout, linear (roberta); a pooling, dropout, linear (linear); or that of the "
                "model's family (family)")
          .source(
              "Hugging Face's BertForSequenceClassification, RobertaForSequenceClassification"));
  v.text("pooling", pooling,
         OptionDoc("pooling for head = linear; empty: the model's own")
             .source("methods of the model folder"));
  v.real("dropout", dropout, {0, 1, false, true},
         OptionDoc(
             "dropout of hidden states and attention probabilities in the encoder during training")
             .source("RoBERTa: 0.1"));
  v.choice("amp", amp, {{"off", optim::Amp::kOff}, {"bfloat16", optim::Amp::kBfloat16}},
           "mixed precision: the encoder's products of a training step in 16 bits, weights, head "
           "and loss in float32");
  v.real("head_dropout", head_dropout, {0, 1, false, true},
         OptionDoc("dropout in the head during training").source("Hugging Face: 0.1; fairseq: 0"));
}

SequenceClassifier::SequenceClassifier(const model::SentenceEncoder& start, int64_t outputs,
                                       const ClassifierOptions& options, uint64_t seed)
    : options_(options), seed_(seed) {
  const encoder::Architecture& shape = start.shape();
  options_.head = resolved(options.head, shape.classifier);
  pooling_ = encoder::parse_pooling(pooling_of(start, options_), shape.num_hidden_layers);
  check(start.encoder().precision() == runtime::Precision::kFloat32, Status::kArgument,
        "fine-tuning changes weights in float32: load the model with precision = float32 (and see "
        "the key amp)");
  model_ = start.snapshot();
  encoder_ = nn::trainable(model_->encoder());
  const nn::TrainableEncoder& encoder = *encoder_;
  const bool uses_pooler =
      options_.head == HeadKind::kBert || pooling_.reduce == encoder::Reduce::kClsPooler;
  for (const auto& [name, tensor] : encoder.named_parameters()) {
    if (name.rfind("pooler.", 0) != 0 || uses_pooler) add_parameter(name, tensor);
  }
  const int64_t width = shape.hidden_size;
  switch (options_.head) {
    case HeadKind::kRoberta:
      dense_ = fresh("classifier.dense", width, width, 0);
      classifier_ = fresh("classifier.out_proj", outputs, width, 1);
      break;
    case HeadKind::kBert:
      dense_ =
          encoder.has_pooler() ? encoder.weights().pooler : fresh("pooler.dense", width, width, 0);
      classifier_ = fresh("classifier", outputs, width, 1);
      break;
    case HeadKind::kLinear: classifier_ = fresh("classifier", outputs, width, 1); break;
    case HeadKind::kFamily: TORCH_CHECK(false, "the family's head was not resolved");
  }
}

void SequenceClassifier::add_parameter(const std::string& name, const at::Tensor& tensor) {
  at::Tensor leaf = tensor;
  leaf.set_requires_grad(true);
  parameters_.push_back({name, leaf, optim::decays_by_name(name)});
}

nn::TorchLinear SequenceClassifier::fresh(const std::string& name, int64_t out, int64_t in,
                                          uint64_t number) {
  at::Tensor weight = at::empty({out, in}, at::kFloat);
  float* values = weight.mutable_data_ptr<float>();
  Rng rng(seed_, Purpose::kInitialise, 0, number);
  for (int64_t i = 0; i < out * in; ++i)
    values[i] = static_cast<float>(model_->shape().initializer_range * rng.normal());
  const c10::Device device = encoder_->device();
  const nn::TorchLinear linear{weight.to(device), at::zeros({out}, at::kFloat).to(device)};
  add_parameter(name + ".weight", linear.weight);
  add_parameter(name + ".bias", linear.bias);
  return linear;
}

at::Tensor SequenceClassifier::drop(const at::Tensor& x, const nn::Dropout& dropout,
                                    int64_t site) const {
  if (dropout.hidden == 0) return x;
  std::vector<int64_t> rows(static_cast<size_t>(x.size(0)) + 1);  // every text has one row
  std::iota(rows.begin(), rows.end(), int64_t{0});
  return nn::drop_hidden(x, rows, dropout, site);
}

at::Tensor SequenceClassifier::apply_head(const at::Tensor& pooled,
                                          const nn::Dropout& dropout) const {
  // The places of dropout in the head follow those of the last layer.
  const int64_t site = nn::output_site(model_->shape().num_hidden_layers - 1) + 1;
  at::Tensor x = pooled.to(at::kFloat);
  if (options_.head == HeadKind::kRoberta) x = drop(x, dropout, site);
  if (dense_.weight.defined()) x = at::tanh(tensors::linear(x, dense_.weight, dense_.bias));
  return tensors::linear(drop(x, dropout, site + 1), classifier_.weight, classifier_.bias);
}

at::Tensor SequenceClassifier::forward(const text::TokenBatch& batch,
                                       const std::vector<uint64_t>& examples,
                                       uint64_t epoch) const {
  nn::Dropout dropout;
  dropout.hidden = dropout.attention = options_.dropout;
  dropout.seed = seed_;
  dropout.epoch = epoch;
  dropout.examples = examples;
  const nn::TrainableEncoder& encoder = *encoder_;
  at::Tensor pooled;
  {
    const optim::Autocast autocast(options_.amp, encoder.device().type());
    const std::vector<at::Tensor> states =
        encoder.run_layers(encoder.embed(view(batch), dropout), view(batch), dropout);
    pooled = encoder.pool(pooling_, states, view(batch));
  }
  dropout.hidden = options_.head_dropout;
  return apply_head(pooled, dropout);
}

at::Tensor SequenceClassifier::predict(const text::TokenBatch& batch, const Cancel* cancel) const {
  const host::FpEnvironment environment;
  const c10::NoGradGuard no_grad;
  const encoder::Encoder& encoder = model_->encoder();
  const bool on_cpu = encoder.computes_on_caller();
  const auto cuts = cut_by_length(batch, on_cpu ? kCpuBatchTokens : kCudaBatchTokens);
  const int64_t width = model_->shape().hidden_size;
  at::Tensor pooled = at::empty({batch.texts(), width}, at::kFloat);
  float* rows = pooled.mutable_data_ptr<float>();
  const bool side_by_side = on_cpu && cuts.size() > 1;
  const auto run = [&](int64_t i) {
    throw_if_cancelled(cancel);
    const std::vector<int64_t>& wanted = cuts[static_cast<size_t>(i)];
    const text::TokenBatch part = pick_texts(batch, wanted);
    std::vector<float> vectors(wanted.size() * static_cast<size_t>(width));
    encoder.infer(view(part), {pooling_}, {nullptr}, vectors.data(),
                  side_by_side ? 1 : runtime::threads());
    for (size_t k = 0; k < wanted.size(); ++k)
      std::copy_n(vectors.data() + static_cast<int64_t>(k) * width, width,
                  rows + wanted[k] * width);
  };
  if (side_by_side) {
    runtime::parallel_for(static_cast<int64_t>(cuts.size()), run);
  } else {
    for (size_t i = 0; i < cuts.size(); ++i) run(static_cast<int64_t>(i));
  }
  return apply_head(pooled.to(encoder_->device()), {}).to(at::kCPU);
}

}  // namespace contrastive::eval
