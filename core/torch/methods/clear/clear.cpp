#include "core/torch/methods/clear/clear.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <map>
#include <optional>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/block_packer.h"
#include "core/torch/tensors/select_rows.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/methods/clear/clear_views.h"
#include "core/torch/methods/clear/extra_token_row.h"
#include "core/torch/methods/repeated_texts.h"
#include "core/torch/methods/start_mlm_head.h"
#include "core/torch/objectives/mlm_loss.h"

namespace contrastive::methods {
namespace {

at::Tensor index_tensor(const std::vector<int64_t>& values, const c10::Device& device) {
  const at::Tensor tensor = at::empty({static_cast<int64_t>(values.size())}, at::kLong);
  std::copy(values.begin(), values.end(), tensor.mutable_data_ptr<int64_t>());
  return tensor.to(device);
}

// The start model, with a row for [DEL] if the config requests one.
MethodContext start_context(const MethodContext& context, const ClearOptions& options) {
  MethodContext own = context;
  if (options.contrasts() && options.del_token == "new")
    own.start = with_extra_row(*context.start, context.seed);
  return own;
}

class Clear : public EncoderMethod {
 public:
  Clear(const MethodContext& context, const ClearOptions& options)
      : options_(options), vocabulary_(context.start->shape().vocab_size),
        encoder_(start_context(context, options), options.encoder),
        views_(options, encoder_.tokenizer(), encoder_.shape().vocab_size, encoder_.max_length(),
               context.seed),
        mlm_head_(start_mlm_head(encoder_, vocabulary_, context.seed)),
        head_(head_options(context.seed), encoder_.encoder().device()) {
    if (options.blocks) blocks_.emplace(encoder_.tokenizer(), encoder_.max_length());
    parameters_ = encoder_.parameters();
    for (const auto& [name, tensor] : mlm_head_.named_parameters())
      parameters_.push_back({name, tensor, decays_by_name(name)});
    if (options.contrasts())
      parameters_.insert(parameters_.end(), head_.parameters().begin(), head_.parameters().end());
    for (Parameter& parameter : parameters_) parameter.decay = parameter.decay || options.decay_all;
    if (options.contrasts() && options.recipe_of(0).fails() && options.recipe_of(1).fails()) {
      log_warning("config key 'clear.recipe': views made by substitution and reordering alone are "
                  "told to belong together too easily; the paper "
                  "reports that training with them stalls or diverges (CLEAR 4.2): add del-word or "
                  "del-span");
    }
    if (options.contrasts() && options.recipe_of(0).changes_nothing() &&
        options.recipe_of(1).changes_nothing() && !options.encoder.dropout) {
      log_warning("config key 'clear.recipe': both views' recipe is none and clear.dropout is off: "
                  "both views of a text are the same");
    }
  }

  std::shared_ptr<const data::Dataset> arrange(
      std::shared_ptr<const data::Dataset> data) const override {
    return blocks_ ? data::pack_blocks(std::move(data), *blocks_) : data;
  }

  void tokenize(data::Batch& batch) const override {
    text::TokenBatch texts;
    std::vector<std::string_view> plain;
    for (const data::Example& example : batch.examples) {
      if (blocks_) blocks_->append(example.a, texts);
      else plain.push_back(example.a);
    }
    batch.tokens = {blocks_ ? std::move(texts) : encoder_.tokenize(plain)};
  }

  Views views(const data::Batch& batch) override {
    if (!batch.tokens.empty()) return views(batch, batch.tokens.front());
    data::Batch own = batch;
    tokenize(own);
    return views(own, own.tokens.front());
  }

  LossTerms compare(const Views& views, const data::Batch&) override {
    const Mean& mlm = views.means.front();
    LossTerms terms;
    const at::Tensor predicted =
        mlm.count > 0 ? mlm.sum / mlm.count : mlm.sum;  // nothing to predict: 0, with gradient 0
    if (!options_.contrasts()) {
      terms.values.emplace_back("mlm", predicted);
      return terms;
    }
    const at::Tensor& text = views["text"];
    const at::Tensor ids =
        repeated_.masked(at::cat({text, text}), text.size(0), options_.loss.false_negatives);
    const at::Tensor contrastive =
        objectives::nt_xent(views["view1"], views["view2"], options_.loss, ids);
    terms.values = {{"total", predicted + contrastive * options_.contrastive_weight},
                    {"mlm", predicted},
                    {"contrastive", contrastive}};
    return terms;
  }

  std::vector<Parameter> parameters() const override { return parameters_; }
  bool trains_encoder() const override { return true; }

  int64_t dimension() const override { return encoder_.dimension(); }
  void embed(const std::vector<std::string_view>& texts, float* embeddings,
             const Cancel* cancel) override {
    encoder_.embed_texts(texts, embeddings, cancel);
  }

  std::shared_ptr<model::Model> result(const tensors::TorchTensorMap& weights) const override {
    std::shared_ptr<model::SentenceEncoder> result = encoder_.deliver(weights);
    if (encoder_.shape().vocab_size > vocabulary_) result = without_extra_row(*result);
    TensorMap head;
    if (options_.deliver_mlm_head) {
      for (const auto& [name, present] : mlm_head_.named_parameters()) {
        const auto given = weights.find(name);
        const at::Tensor& tensor = given == weights.end() ? present : given->second;
        head[name] = tensors::from_torch(tensor.detach().to(at::kCPU, at::kFloat, false, true));
      }
    }
    result->set_mlm_head(std::move(head));
    return result;
  }

 private:
  ClearHeadOptions head_options(uint64_t seed) const {
    ClearHeadOptions head;
    head.kind = options_.contrasts() ? options_.head : ClearHeadKind::kNone;
    head.input = head.hidden = encoder_.hidden_size();
    head.output = options_.head_dim;
    head.final_relu = options_.head_relu;
    head.initializer_range = encoder_.shape().initializer_range;
    head.seed = seed;
    return head;
  }

  // All masked texts and views in one packed pass.
  Views views(const data::Batch& batch, const text::TokenBatch& texts) {
    const ClearBatch made = views_.make(batch, texts);
    const PackedViews packed(batch, made.views());
    const std::vector<at::Tensor> states = encoder_.run_layers(encoder_.embed(packed), packed);
    Views result;
    result.tokens = packed.tokens().tokens();
    result.means = {predict(states.back(), made)};
    if (!options_.contrasts()) return result;
    const at::Tensor vectors = encoder_.pool(states, packed);  // [masked + view 1 + view 2, hidden]
    const int64_t n = texts.texts();
    const at::Tensor z = head_.project(vectors.narrow(0, packed.first_text(1), 2 * n));
    result.vectors = {{"view1", z.narrow(0, 0, n)},
                      {"view2", z.narrow(0, n, n)},
                      {"text", text_identities(texts)}};
    return result;
  }

  // Only the chosen positions are compared with the vocabulary. states: [tokens, hidden]
  Mean predict(const at::Tensor& states, const ClearBatch& made) {
    const at::Tensor chosen =
        tensors::select_rows(states,
                             index_tensor(made.positions, states.device()));  // [chosen, hidden]
    at::Tensor words = encoder_.encoder().weights().embeddings.words;
    if (words.size(0) > vocabulary_)
      words = words.narrow(0, 0, vocabulary_);  // [DEL] is never predicted
    const objectives::MlmLoss loss =
        objectives::mlm_loss(mlm_head_.logits(chosen, words),
                             index_tensor(made.labels, c10::Device(c10::kCPU)));
    return {"mlm", loss.sum, static_cast<double>(loss.count)};
  }

  ClearOptions options_;
  int64_t vocabulary_;  // tokens of the start model; a row for [DEL] comes on top
  TunedEncoder encoder_;
  ClearViews views_;
  nn::MlmHead mlm_head_;
  ClearHead head_;
  std::optional<data::BlockTokenizer> blocks_;
  std::vector<Parameter> parameters_;
  RepeatedTexts repeated_{"clear.false_negatives"};
};

}  // namespace

std::unique_ptr<Method> make_clear(const MethodContext& context) {
  return std::make_unique<Clear>(context, read_clear_options(context.config));
}

constexpr Paper kClearPaper = {"CLEAR", "clear", R"(@misc{wu2020clear,
  title = {{CLEAR}: Contrastive Learning for Sentence Representation},
  author = {Wu, Zhuofeng and Wang, Sinong and Gu, Jiatao and Khabsa, Madian and Sun, Fei and Ma, Hao},
  year = {2020},
  eprint = {2012.15466},
  archivePrefix = {arXiv},
}
)"};

MethodEntry clear_method() {
  return {"clear", make_clear, describe_clear,
          "pre-training: masked language modelling with two augmented views of each text or "
          "block (CLEAR)",
          kClearPaper};
}

}  // namespace contrastive::methods
