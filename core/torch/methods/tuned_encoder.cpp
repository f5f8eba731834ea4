#include "core/torch/methods/tuned_encoder.h"

#include <ATen/core/grad_mode.h>

#include <algorithm>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/base/log.h"
#include "core/torch/tensors/tensors.h"
#include "core/torch/nn/torch_encoder.h"

namespace contrastive::methods {
namespace {

constexpr uint64_t kMostViews = kMostTexts;

// The objectives and heads need one vector of the encoder's width, not several concatenated
// poolings.
std::string single_pooling(const model::SentenceEncoder& model,
                           const TunedEncoderOptions& options) {
  if (!options.pooling.empty()) return options.pooling;
  const std::vector<std::string>& own = model.folder().poolings;
  std::string joined;
  for (const std::string& pooling : own) joined += (joined.empty() ? "" : "+") + pooling;
  check(own.size() == 1, Status::kArgument, "the model joins ", own.size(), " poolings (", joined,
        "), but a method tunes one, and the trained "
        "model has that one: choose it with config key '",
        options.prefix, "pooling'");
  return own.front();
}

void append(text::TokenBatch& to, const text::TokenBatch& from) {
  const int64_t shift = to.tokens();
  to.ids.insert(to.ids.end(), from.ids.begin(), from.ids.end());
  to.type_ids.insert(to.type_ids.end(), from.type_ids.begin(), from.type_ids.end());
  for (size_t i = 1; i < from.offsets.size(); ++i) to.offsets.push_back(shift + from.offsets[i]);
  to.full_lengths.insert(to.full_lengths.end(), from.full_lengths.begin(), from.full_lengths.end());
}

// Which parts of the start model train, by the keys of one method.
TunedParts make_parts(const MethodContext& context, const TunedEncoderOptions& options) {
  const std::shared_ptr<model::SentenceEncoder> model = context.start->snapshot();
  TunedParts parts(model, nn::trainable(model->encoder()));
  nn::TrainableEncoder& encoder = parts.encoder;
  parts.rule = options.dense;
  parts.lora = options.lora;
  if (options.dense == DenseModules::kDrop) model->set_dense({});
  model->set_pooling({single_pooling(*model, options)});
  parts.pooling =
      encoder::parse_pooling(model->folder().poolings.front(), model->shape().num_hidden_layers);
  const bool pooler = parts.pooling.reduce == encoder::Reduce::kClsPooler;
  if (options.lora.on()) {
    parts.adapters = LoraAdapters(options.lora, options.prefix, encoder, context.seed);
    parts.parameters = parts.adapters.parameters();
  }
  for (auto& [name, tensor] : encoder.named_parameters()) {
    if (options.lora.on()) break;
    // The projection of narrow embeddings does not belong to them, as in transformers.
    if (options.freeze_embeddings && name.rfind("embeddings.", 0) == 0 &&
        name.rfind("embeddings.projection.", 0) != 0)
      continue;
    if (name.rfind("pooler.", 0) == 0 && !pooler) continue;
    tensor.set_requires_grad(true);
    parts.parameters.push_back({name, tensor, decays_by_name(name)});
  }
  encoder.set_checkpointing(context.gradient_checkpointing);
  if (options.dense != DenseModules::kTrain) return parts;
  for (const io::DenseModule& module : model->folder().dense) {
    parts.dense.push_back({tensors::to_torch(module.weight), tensors::to_torch(module.bias),
                           module.activation, module.normalizes});
  }
  for (size_t i = 0; i < parts.dense.size(); ++i) {
    for (const auto& [part, tensor] :
         {std::pair("weight", parts.dense[i].weight), std::pair("bias", parts.dense[i].bias)}) {
      const std::string name = cat("dense.", i, ".", part);
      if (tensor.defined())
        parts.parameters.push_back({name, tensor.set_requires_grad(true), decays_by_name(name)});
    }
  }
  return parts;
}

const char* what_becomes(DenseModules rule) {
  return rule == DenseModules::kTrain  ? "trains"
         : rule == DenseModules::kDrop ? "takes off"
                                       : "keeps as they are";
}

TunedParts parts_for(const MethodContext& context, const TunedEncoderOptions& options) {
  if (context.shared == nullptr) return make_parts(context, options);
  std::optional<TunedParts>& shared = context.shared->parts;
  if (!shared) shared = make_parts(context, options);
  check(shared->rule == options.dense || context.start->folder().dense.empty(), Status::kArgument,
        "the model has dense modules behind its pooling, which the method of one task ",
        what_becomes(shared->rule), " and that of another ", what_becomes(options.dense),
        ": the tasks train one model, so train it with methods that agree, or begin with a model "
        "without them");
  return *shared;
}

}  // namespace

std::shared_ptr<SharedEncoder> make_shared_encoder() { return std::make_shared<SharedEncoder>(); }

void TunedEncoderOptions::visit(OptionVisitor& v) {
  v.text("pooling", pooling,
         "how token states become the vector that is trained; empty = the model's own");
  visit_all_but_pooling(v);
}

void TunedEncoderOptions::visit_all_but_pooling(OptionVisitor& v) {
  v.integer("max_length", max_length, between(0, 1e6),
            OptionDoc("maximum number of ids of a text, special tokens included; longer texts are "
                      "cut; 0 = the model's")
                .unit("tokens"));
  v.flag("dropout", dropout, "use the model's own dropout, with the probabilities of its config");
  v.flag("freeze_embeddings", freeze_embeddings,
         "word, position and type embeddings and their LayerNorm stay as they are");
  lora.visit(v);
}

void TunedEncoderOptions::validate(const Config& config) const {
  reject_idle_keys(config, prefix,
                   {{!lora.on(),
                     cat("it goes with ", prefix, "lora_rank only"),
                     {"lora_alpha", "lora_dropout", "lora_targets"}}});
  if (!pooling.empty()) parse_pooling_key(cat(prefix, "pooling"), pooling);
}

std::function<void(const encoder::Architecture& shape)> TunedEncoderOptions::shape_check(
    const Config& config) const {
  return [options = *this, config](const encoder::Architecture& shape) {
    options.fitted(config, shape);
  };
}

std::vector<std::string> TunedEncoderOptions::shared_keys() const {
  std::vector<std::string> keys;
  for (const char* key :
       {"pooling", "freeze_embeddings", "lora_rank", "lora_alpha", "lora_dropout", "lora_targets"})
    keys.push_back(cat(prefix, key));
  return keys;
}

TunedEncoderOptions TunedEncoderOptions::fitted(const Config& config,
                                                const encoder::Architecture& shape) const {
  TunedEncoderOptions result = *this;
  const int64_t most = shape.max_tokens();
  if (!config.has(std::string(prefix) + "max_length"))
    result.max_length = std::min(max_length, most);
  check(result.max_length <= most, Status::kArgument, "config key '", prefix, "max_length' is ",
        max_length, ", above the model's ", most, " tokens");
  if (!pooling.empty()) parse_pooling_key(cat(prefix, "pooling"), pooling, shape.num_hidden_layers);
  lora.places(shape, prefix);
  return result;
}

uint64_t random_example(const data::Batch& batch, int64_t row) {
  const int64_t index = batch.indices.at(static_cast<size_t>(row));
  return static_cast<uint64_t>(index >= 0 ? index : batch.first_row + row);
}

uint64_t random_epoch(const data::Batch& batch) {
  return static_cast<uint64_t>(!batch.indices.empty() && batch.indices.front() >= 0 ? batch.epoch
                                                                                    : batch.step);
}

PackedViews::PackedViews(const data::Batch& batch, const std::vector<View>& views)
    : epoch_(random_epoch(batch)) {
  bool permuted = false, left_out = false;
  for (const View& view : views) {
    permuted = permuted || !view.positions.empty();
    left_out = left_out || view.unpooled > 0;
  }
  for (const View& view : views) {
    first_text_.push_back(batch_.texts());
    append(batch_, *view.tokens);
    append_streams(batch, view);
    if (permuted) append_positions(view);
    if (left_out) append_pooled(view);
  }
  first_text_.push_back(batch_.texts());
}

void PackedViews::append_streams(const data::Batch& batch, const View& view) {
  std::vector<uint64_t> runs(static_cast<size_t>(batch.size()));  // texts of each example so far
  for (int64_t i = 0; i < view.tokens->texts(); ++i) {
    // A column may hold several texts of one example (hard negatives): in any order with `rows`,
    // else one run of rows after the other.
    const int64_t row = view.rows.empty() ? i % batch.size() : view.rows.at(static_cast<size_t>(i));
    const uint64_t run = runs.at(static_cast<size_t>(row))++;
    check(run < kMostViews, Status::kLimit, "an example of the batch has more than ", kMostViews,
          " texts of one kind");
    streams_.push_back(
        (random_example(batch, row) * kMostViews + static_cast<uint64_t>(view.number)) *
            kMostViews +
        run);
  }
}

void PackedViews::append_positions(const View& view) {
  if (!view.positions.empty()) {
    positions_.insert(positions_.end(), view.positions.begin(), view.positions.end());
    return;
  }
  positions_.resize(positions_.size() + static_cast<size_t>(view.tokens->tokens()),
                    encoder::PackedTokens::kOwnPlace);
}

void PackedViews::append_pooled(const View& view) {
  for (int64_t i = 0; i < view.tokens->texts(); ++i) {
    for (int64_t t = 0; t < view.tokens->length(i); ++t)
      pooled_.push_back(t < view.unpooled ? 0 : 1);
  }
}

encoder::PackedTokens PackedViews::tokens() const {
  encoder::PackedTokens packed;
  packed.ids = batch_.ids.data();
  packed.type_ids = batch_.type_ids.empty() ? nullptr : batch_.type_ids.data();
  packed.offsets = batch_.offsets.data();
  packed.texts = batch_.texts();
  packed.positions = positions_.empty() ? nullptr : positions_.data();
  return packed;
}

TunedEncoder::TunedEncoder(const MethodContext& context, const TunedEncoderOptions& options)
    : options_(options.fitted(context.config, context.start->shape())), seed_(context.seed),
      parts_(parts_for(context, options)) {
  max_length_ = options_.max_length > 0 ? options_.max_length : parts_.model->max_length();
  const auto special = static_cast<int64_t>(tokenizer().encode("", 0).ids.size());
  check(options_.max_length == 0 || max_length_ > special, Status::kArgument, "config key '",
        options_.prefix, "max_length' is ", max_length_,
        ", which leaves no room for text: the special tokens alone are ", special,
        " (0 = the model's own length)");
  if (options_.max_length < options.max_length) {
    log_info("texts are cut at ", options_.max_length,
             " tokens, as many as the model has positions for; ", options_.prefix, "max_length is ",
             options.max_length);
  }
  prompt_ = Prompt(default_prompt(*parts_.model), *parts_.model);
}

text::TokenBatch TunedEncoder::tokenize(const std::vector<std::string_view>& texts) const {
  text::TokenBatch batch;
  for (const std::string_view text : texts) tokenizer().append(text, max_length_, batch);
  return batch;
}

text::TokenBatch TunedEncoder::tokenize(const std::vector<std::string_view>& texts,
                                        const Prompt& prompt) const {
  if (prompt.text.empty()) return tokenize(texts);
  std::vector<std::string> prompted;
  for (const std::string_view text : texts) prompted.push_back(prompt.text + std::string(text));
  return tokenize({prompted.begin(), prompted.end()});
}

text::TokenBatch TunedEncoder::tokenize_pairs(const std::vector<model::TextPair>& pairs,
                                              const Prompt& prompt) const {
  text::TokenBatch batch;
  for (const model::TextPair& pair : pairs) {
    if (prompt.text.empty()) tokenizer().append_pair(pair.first, pair.second, max_length_, batch);
    else
      tokenizer().append_pair(prompt.text + std::string(pair.first), pair.second, max_length_,
                              batch);
  }
  return batch;
}

void TunedEncoder::tokenize_columns(data::Batch& batch) const {
  std::vector<std::string_view> a, b;
  for (const data::Example& example : batch.examples) {
    a.push_back(example.a);
    if (example.has_b) b.push_back(example.b);
  }
  batch.tokens = {tokenize(a, prompt_)};
  if (b.size() == a.size()) batch.tokens.push_back(tokenize(b, prompt_));
}

nn::Dropout TunedEncoder::dropout(const PackedViews& views, std::optional<bool> wanted) const {
  nn::Dropout dropout;
  if (wanted.value_or(options_.dropout)) {
    dropout.hidden = shape().hidden_dropout_prob;
    dropout.attention = shape().attention_probs_dropout_prob;
  }
  if (wanted.value_or(true)) dropout.adapter = parts_.adapters.empty() ? 0 : parts_.lora.dropout;
  dropout.seed = seed_;
  dropout.epoch = views.epoch();
  dropout.examples = views.streams();
  return dropout;
}

at::Tensor TunedEncoder::embed(const PackedViews& views, std::optional<bool> wanted) const {
  return parts_.encoder.embed(views.tokens(), dropout(views, wanted));
}

std::vector<at::Tensor> TunedEncoder::run_layers(const at::Tensor& embedded,
                                                 const PackedViews& views,
                                                 std::optional<bool> wanted) const {
  return parts_.encoder.run_layers(embedded, views.tokens(), dropout(views, wanted));
}

at::Tensor TunedEncoder::pool(const std::vector<at::Tensor>& states,
                              const PackedViews& views) const {
  return parts_.encoder.pool(parts_.pooling, states, views.tokens(), views.pooled());
}

at::Tensor TunedEncoder::apply_dense(const at::Tensor& pooled) const {
  std::vector<nn::Dense> layers = parts_.dense;
  for (nn::Dense& layer : layers) {  // they stay on the CPU, where encode() applies them
    layer.weight = layer.weight.to(pooled.device());
    if (layer.bias.defined()) layer.bias = layer.bias.to(pooled.device());
  }
  return nn::run_dense(layers, pooled);
}

at::Tensor TunedEncoder::forward(const PackedViews& views, std::optional<bool> wanted) const {
  return pool(run_layers(embed(views, wanted), views, wanted), views);
}

int64_t TunedEncoder::dimension() const {
  model::EncodeOptions options;
  options.normalize = 0;
  return parts_.model->dimension(options);
}

void TunedEncoder::embed_texts(const std::vector<std::string_view>& texts, float* embeddings,
                               const Cancel* cancel) const {
  model::EncodeOptions options;
  options.cancel = cancel;
  options.normalize = 0;
  options.max_length = max_length_;
  const MergedWeights merged(parts_.adapters, parts_.encoder);
  parts_.model->encode(texts, options, embeddings);
}

std::shared_ptr<model::SentenceEncoder> TunedEncoder::deliver(
    const tensors::TorchTensorMap& weights) const {
  std::shared_ptr<model::SentenceEncoder> result = parts_.model->snapshot();
  result->set_mlm_head({});  // the start model's belonged to the weights that it started with
  result->set_adapter(nullptr);
  if (!parts_.adapters.empty()) {
    parts_.adapters.merge_into(nn::trainable(result->encoder()), weights);
    result->set_adapter(
        parts_.adapters.record(parts_.encoder, parts_.model->folder().origin, weights));
  }
  if (weights.empty()) return result;
  const at::NoGradGuard no_grad;
  const auto take = [&](const std::string& name, const at::Tensor& into) {
    const auto given = weights.find(name);
    if (given != weights.end()) into.copy_(given->second);
  };
  for (const auto& [name, tensor] : nn::trainable(result->encoder()).named_parameters())
    take(name, tensor);
  for (size_t i = 0; i < parts_.dense.size(); ++i) {
    const io::DenseModule& module = result->folder().dense[i];
    take(cat("dense.", i, ".weight"), tensors::to_torch(module.weight));
    if (parts_.dense[i].bias.defined())
      take(cat("dense.", i, ".bias"), tensors::to_torch(module.bias));
  }
  return result;
}

}  // namespace contrastive::methods
