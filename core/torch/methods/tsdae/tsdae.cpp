#include "core/torch/methods/tsdae/tsdae.h"

#include <ATen/TensorOperators.h>
#include <ATen/ops/empty.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/torch/methods/start_mlm_head.h"
#include "core/torch/methods/tsdae/word_deletion.h"
#include "core/torch/nn/decoder.h"
#include "core/torch/objectives/mlm_loss.h"
#include "core/torch/objectives/unit_rows.h"

namespace contrastive::methods {
namespace {

enum TsdaeColumn : size_t { kNoisy, kWhole };

// The decoder's input for each text, and what it must predict: the token after each.
struct DecoderTexts {
  text::TokenBatch read;
  std::vector<int64_t> labels;
};

DecoderTexts decoder_texts(const text::TokenBatch& texts) {
  DecoderTexts result;
  for (int64_t i = 0; i < texts.texts(); ++i) {
    const auto begin = static_cast<size_t>(texts.offsets[static_cast<size_t>(i)]);
    const auto length = static_cast<size_t>(texts.length(i));
    check(length > 0, Status::kArgument, "text ", i, " has no tokens to rebuild");
    const size_t count =
        std::max<size_t>(length, 2) - 1;  // of one token alone there is nothing to say
    for (size_t t = begin; t < begin + count; ++t) {
      result.read.ids.push_back(texts.ids[t]);
      result.labels.push_back(length > 1 ? texts.ids[t + 1] : objectives::kNoLabel);
    }
    result.read.type_ids.resize(result.read.ids.size(), 0);
    result.read.offsets.push_back(result.read.tokens());
    result.read.full_lengths.push_back(static_cast<int32_t>(count));
  }
  return result;
}

at::Tensor label_tensor(const std::vector<int64_t>& labels) {
  const at::Tensor tensor = at::empty({static_cast<int64_t>(labels.size())}, at::kLong);
  std::copy(labels.begin(), labels.end(), tensor.mutable_data_ptr<int64_t>());
  return tensor;
}

class Tsdae : public EncoderMethod {
 public:
  Tsdae(const MethodContext& context, const TsdaeOptions& options)
      : options_(options), seed_(context.seed), encoder_(context, options.encoder),
        layers_(decoder_layers()),
        decoder_(layers_, start_mlm_head(encoder_, encoder_.shape().vocab_size, context.seed),
                 context.seed),
        parameters_(encoder_.parameters()) {
    check(encoder_.dimension() == encoder_.hidden_size(), Status::kArgument,
          "the model gives vectors of ", encoder_.dimension(),
          " numbers, but method 'tsdae' rebuilds texts with layers that are ",
          encoder_.hidden_size(), " wide: begin with a model whose dense modules keep the width");
    if (!options.tie_encoder_decoder) {
      for (const auto& [name, tensor] : layers_.named_parameters()) {
        if (name.rfind("pooler.", 0) == 0) continue;
        add("decoder." + name, tensor);
      }
    }
    for (const auto& [name, tensor] : decoder_.named_parameters()) add("decoder." + name, tensor);
  }

  // {what is left of each text, the whole text}
  void tokenize(data::Batch& batch) const override {
    std::vector<std::string> noisy;
    std::vector<std::string_view> whole;
    for (int64_t i = 0; i < batch.size(); ++i) {
      const std::string& text = batch.examples[static_cast<size_t>(i)].a;
      Rng rng(seed_, Purpose::kDeletion, random_epoch(batch), random_example(batch, i));
      noisy.push_back(delete_words(text, options_.noise_ratio, rng));
      whole.push_back(text);
    }
    batch.tokens = {encoder_.tokenize({noisy.begin(), noisy.end()}, encoder_.prompt()),
                    encoder_.tokenize(whole)};
  }

  Views views(const data::Batch& batch) override {
    if (batch.tokens.empty()) {
      data::Batch tokenized = batch;
      tokenize(tokenized);
      return views(tokenized);
    }
    const PackedViews noisy(batch,
                            {{&batch.tokens.at(kNoisy), 0, {}, {}, encoder_.prompt().unpooled}});
    at::Tensor vectors = encoder_.apply_dense(encoder_.forward(noisy));  // [texts, hidden]
    if (encoder_.model().folder().normalize) vectors = objectives::unit_rows(vectors);
    const DecoderTexts texts = decoder_texts(batch.tokens.at(kWhole));
    const PackedViews whole(batch, {{&texts.read, 1}});
    const at::Tensor logits = decoder_.logits(whole.tokens(), vectors, encoder_.dropout(whole));
    const objectives::MlmLoss loss = objectives::mlm_loss(logits, label_tensor(texts.labels));
    Views views;
    views.means = {{"reconstruction", loss.sum, static_cast<double>(loss.count)}};
    views.tokens = noisy.tokens().tokens() + whole.tokens().tokens();
    return views;
  }

  LossTerms compare(const Views& views, const data::Batch&) override {
    const Mean& mean = views.means.front();
    LossTerms terms;
    terms.values.emplace_back("reconstruction", mean.count > 0 ? mean.sum / mean.count : mean.sum);
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
    return encoder_.deliver(weights);
  }

 private:
  nn::TrainableEncoder decoder_layers() {
    if (options_.tie_encoder_decoder) return encoder_.encoder();
    nn::TrainableEncoder own = encoder_.encoder().clone();
    own.set_requires_grad(true);
    return own;
  }

  void add(const std::string& name, const at::Tensor& tensor) {
    parameters_.push_back({name, tensor, decays_by_name(name)});
  }

  TsdaeOptions options_;
  uint64_t seed_;
  TunedEncoder encoder_;
  nn::TrainableEncoder
      layers_;  // of the decoder: the encoder's weights themselves, where they are tied
  nn::Decoder decoder_;
  std::vector<Parameter> parameters_;
};

}  // namespace

void TsdaeOptions::visit(OptionVisitor& v) {
  v.real("noise_ratio", noise_ratio, {0, 1, false, true},
         OptionDoc("probability that a word is deleted before the text is encoded; at least one "
                   "word is kept")
             .source("TSDAE 3: 0.6"));
  v.flag("tie_encoder_decoder", tie_encoder_decoder,
         OptionDoc("the decoder shares the encoder's embeddings, attention and feed-forward "
                   "blocks; false: it trains its own copy, which takes twice the memory")
             .source("TSDAE 3, sentence-transformers: true"));
  encoder.visit(v);
}

void TsdaeOptions::validate(const Config& config) const { encoder.validate(config); }

// Section 4.2 of the paper and sentence-transformers' example of it.
Config TsdaeOptions::training_defaults() const {
  Config config = usual_training(8, 1);
  config.set_json("lr", 3e-5);
  config.set_json("weight_decay", 0);
  config.set("schedule", "constant");
  config.set_json("warmup_ratio", 0);
  return config;
}

MethodTraits describe_tsdae(const Config& config) {
  MethodTraits traits = describe<TsdaeOptions>(config);
  traits.separates_pairs = true;
  traits.check_shape = [check_keys = traits.check_shape](const encoder::Architecture& shape) {
    const std::string reason = nn::no_decoder_because(shape);
    check(reason.empty(), Status::kArgument,
          "config key 'method': tsdae rebuilds texts with a decoder made of the encoder's layers, "
          "but this model's ",
          "cannot be one: ", reason,
          ". Families that can: BERT, RoBERTa, XLM-RoBERTa, CamemBERT, ELECTRA, ERNIE, DistilBERT, "
          "ALBERT");
    check_keys(shape);
  };
  return traits;
}

std::unique_ptr<Method> make_tsdae(const MethodContext& context) {
  describe_tsdae(context.config).check_shape(context.start->shape());
  return std::make_unique<Tsdae>(context,
                                 read_options<TsdaeOptions>(context.config, TsdaeOptions::kPrefix));
}

constexpr Paper kTsdaePaper = {"TSDAE", "loss:DenoisingAutoEncoderLoss",
                               R"(@inproceedings{wang2021tsdae,
  title = {{TSDAE}: Using Transformer-based Sequential Denoising Auto-Encoder for Unsupervised Sentence Embedding Learning},
  author = {Wang, Kexin and Reimers, Nils and Gurevych, Iryna},
  booktitle = {Findings of the Association for Computational Linguistics: EMNLP 2021},
  year = {2021},
  pages = {671--688},
  doi = {10.18653/v1/2021.findings-emnlp.59},
}
)"};

MethodEntry tsdae_method() {
  return {"tsdae", make_tsdae, describe_tsdae,
          "the encoder on single texts, each rebuilt by a decoder from the vector of some of its "
          "words (TSDAE)",
          kTsdaePaper};
}

}  // namespace contrastive::methods
