// Scores pairs: pairs -> TokenisedTexts -> encoder::Encoder::infer -> classification head -> scores
// in the caller's order.
#include "core/model/cross_encoder.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/encoder/classification_head.h"
#include "core/encoder/weights.h"
#include "core/host/fp_environment.h"
#include "core/model/encode_plan.h"
#include "core/model/fingerprint.h"
#include "core/model/packed_run.h"
#include "core/model/post_pooling.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::model {
namespace {

const std::vector<std::string> kActivations = {"identity", "sigmoid", "softmax",
                                               "tanh",     "relu",    "gelu"};

// Softmax of each row.
void softmax_rows(std::vector<float>& rows, int64_t width) {
  for (size_t at = 0; at < rows.size(); at += static_cast<size_t>(width)) {
    float* const row = rows.data() + at;
    const float most = *std::max_element(row, row + width);
    double sum = 0;
    for (int64_t i = 0; i < width; ++i)
      sum += std::exp(static_cast<double>(row[i]) - static_cast<double>(most));
    for (int64_t i = 0; i < width; ++i)
      row[i] = static_cast<float>(
          std::exp(static_cast<double>(row[i]) - static_cast<double>(most)) / sum);
  }
}

// (x - mean) / deviation * weight + bias, for each row.
void norm_rows(std::vector<float>& rows, int64_t width, const Tensor& weight, const Tensor& bias,
               double eps) {
  for (size_t at = 0; at < rows.size(); at += static_cast<size_t>(width)) {
    float* const row = rows.data() + at;
    double mean = 0, square = 0;
    for (int64_t i = 0; i < width; ++i) mean += static_cast<double>(row[i]);
    mean /= static_cast<double>(width);
    for (int64_t i = 0; i < width; ++i)
      square += (static_cast<double>(row[i]) - mean) * (static_cast<double>(row[i]) - mean);
    const double scale = 1 / std::sqrt(square / static_cast<double>(width) + eps);
    for (int64_t i = 0; i < width; ++i) {
      const double shift = bias.defined() ? static_cast<double>(bias.floats()[i]) : 0.0;
      row[i] = static_cast<float>((static_cast<double>(row[i]) - mean) * scale *
                                      static_cast<double>(weight.floats()[i]) +
                                  shift);
    }
  }
}

io::DenseModule dense_of(const TensorMap& weights, const std::string& name,
                         const std::string& activation) {
  const auto bias = weights.find(name + ".bias");
  return {weights.at(name + ".weight"), bias == weights.end() ? Tensor() : bias->second,
          activation};
}

// Turns `rows` [texts, hidden], the result of the head's pooling, into logits [texts, labels].
void apply_head(const io::Classifier& classifier, double eps, std::vector<float>& rows,
                int64_t texts, int64_t hidden) {
  const TensorMap& weights = classifier.weights;
  if (!classifier.head.activation.empty())
    apply_dense({dense_of(weights, "classifier.dense", classifier.head.activation)}, rows, texts,
                hidden);
  if (classifier.head.norm) {
    const auto bias = weights.find("classifier.LayerNorm.bias");
    norm_rows(rows, hidden, weights.at("classifier.LayerNorm.weight"),
              bias == weights.end() ? Tensor() : bias->second, eps);
  }
  apply_dense({dense_of(weights, "classifier.out_proj", "identity")}, rows, texts, hidden);
}

void check_scores(const float* scores, int64_t pairs, int64_t width) {
  for (int64_t pair = 0; pair < pairs; ++pair) {
    for (int64_t i = 0; i < width; ++i) {
      check(std::isfinite(scores[pair * width + i]), Status::kNumeric, "pairs[", pair,
            "]: its score is not finite: the model's weights overflow, or hold NaN or infinity");
    }
  }
}

void check_head(const io::ModelFolder& folder) {
  check(folder.classifier != nullptr, Status::kInternal,
        "a cross-encoder needs a classification head");
  const io::Classifier& classifier = *folder.classifier;
  for (const auto& [name, shape] :
       encoder::classification_head_shapes(folder.encoder, classifier.head,
                                           classifier.label_count())) {
    const auto found = classifier.weights.find(name);
    check(found != classifier.weights.end() && found->second.shape() == shape, Status::kMismatch,
          "the classification head has no tensor ", name, " of shape ", shape_text(shape));
  }
}

// EncodePlan resolves the prompt, the length and the budget of pairs too.
EncodeOptions encode_options(const ScoreOptions& from) {
  EncodeOptions to;
  to.prompt = from.prompt;
  to.prompt_name = from.prompt_name;
  to.max_length = from.max_length;
  to.batch_tokens = from.batch_tokens;
  return to;
}

}  // namespace

struct CrossEncoder::Parts {
  io::ModelFolder folder;  // its weights are empty, because `replicas` own them; its pooling is the
                           // head's input
  Replicas replicas;

  Parts(io::ModelFolder a_folder, Replicas some_replicas)
      : folder(std::move(a_folder)), replicas(std::move(some_replicas)) {
    check(folder.classifier->head.pooling != "cls-pooler" || replicas.first().has_pooler(),
          Status::kMismatch, "the classification head needs a pooler, and the checkpoint has none");
    folder.poolings = {folder.classifier->head.pooling};
  }

  EncodePlan plan(const ScoreOptions& options) const {
    check(options.activation.empty() || std::find(kActivations.begin(), kActivations.end(),
                                                  options.activation) != kActivations.end(),
          Status::kArgument, unknown_name("activation", options.activation, kActivations));
    // With a single label, softmax would make every score 1.
    check(options.activation != "softmax" || folder.classifier->label_count() > 1,
          Status::kArgument,
          "activation 'softmax' is over the labels of a pair, and this reranker has one label: use "
          "sigmoid, or identity for the logits");
    EncodePlan plan = make_encode_plan(folder, replicas.first(), encode_options(options));
    if (options.max_length > 0)
      check_pair_room(*folder.tokenizer, options.max_length, "max_length");
    return plan;
  }
};

CrossEncoder::CrossEncoder(io::ModelFolder folder, const CheckpointOptions& options) {
  check_head(folder);
  Replicas replicas = make_replicas(folder, options);
  parts_ = std::make_shared<Parts>(std::move(folder), std::move(replicas));
}

CrossEncoder::CrossEncoder(const SentenceEncoder& body, io::Classifier head) {
  io::ModelFolder folder = body.folder();
  folder.classifier = std::make_shared<const io::Classifier>(std::move(head));
  check_head(folder);
  folder.mlm_head.clear();
  folder.dense.clear();
  folder.normalize = false;
  folder.include_prompt = true;
  folder.adapter = nullptr;
  folder.readme.clear();  // it describes another model
  parts_ = std::make_shared<Parts>(std::move(folder), body.replicas());
}

std::shared_ptr<SentenceEncoder> CrossEncoder::body() const {
  io::ModelFolder folder = parts_->folder;
  folder.classifier = nullptr;
  return std::make_shared<SentenceEncoder>(std::move(folder), parts_->replicas);
}

std::shared_ptr<CrossEncoder> CrossEncoder::snapshot() const {
  auto copy = std::make_shared<CrossEncoder>(*this);
  io::ModelFolder folder = parts_->folder;
  auto head = std::make_shared<io::Classifier>(*folder.classifier);
  for (auto& item : head->weights) item.second = item.second.clone();
  folder.classifier = std::move(head);
  copy->parts_ = std::make_shared<Parts>(std::move(folder), parts_->replicas.clone());
  return copy;
}

std::shared_ptr<CrossEncoder> CrossEncoder::load(const std::string& path,
                                                 const CheckpointOptions& options) {
  return std::make_shared<CrossEncoder>(read_for(options, path, true), options);
}

void CrossEncoder::check_options(const ScoreOptions& options) const { parts_->plan(options); }

void CrossEncoder::score(const std::vector<TextPair>& pairs, const ScoreOptions& options,
                         float* scores, int32_t* token_counts) const {
  const host::FpEnvironment environment;
  const EncodePlan plan = parts_->plan(options);
  if (pairs.empty()) return;
  check(scores != nullptr, Status::kArgument, "scores is null for ", pairs.size(), " pairs");
  const io::Classifier& classifier = *parts_->folder.classifier;
  const int64_t hidden = parts_->folder.encoder.hidden_size, labels = label_count();
  const std::string activation =
      options.activation.empty() ? classifier.activation : options.activation;
  const TokenisedTexts tokens(tokenizer(), pairs, plan.prompt, plan.max_length, options.cancel);
  run_packed(tokens, parts_->replicas, plan.batch_tokens, options.cancel, "pairs scored",
             [&](const encoder::Encoder& on, const text::TokenBatch& batch, const int64_t* order,
                 int most_threads) {
               std::vector<float> rows((Size(batch.texts(), "pooled vectors") * hidden).bytes());
               on.infer(packed_view(batch), plan.poolings, {nullptr}, rows.data(), most_threads);
               apply_head(classifier, parts_->folder.encoder.layer_norm_eps, rows, batch.texts(),
                          hidden);
               if (activation == "softmax") softmax_rows(rows, labels);
               else activate(activation, rows);
               for (int64_t row = 0; row < batch.texts(); ++row)
                 std::copy_n(rows.data() + row * labels, labels, scores + order[row] * labels);
             });
  check_scores(scores, static_cast<int64_t>(pairs.size()), labels);
  for (size_t i = 0; token_counts != nullptr && i < pairs.size(); ++i)
    token_counts[i] = tokens.full_length(static_cast<int64_t>(i));
}

const std::vector<std::string>& CrossEncoder::labels() const {
  return parts_->folder.classifier->labels;
}
int64_t CrossEncoder::max_length() const { return parts_->plan({}).max_length; }
const text::Tokenizer& CrossEncoder::tokenizer() const { return *parts_->folder.tokenizer; }
const Replicas& CrossEncoder::replicas() const { return parts_->replicas; }
const encoder::Encoder& CrossEncoder::encoder() const { return parts_->replicas.first(); }
const io::ModelFolder& CrossEncoder::folder() const { return parts_->folder; }

void CrossEncoder::set_card(io::ModelCard card) {
  parts_->folder.card = std::make_shared<const io::ModelCard>(std::move(card));
}

void CrossEncoder::save(const std::string& path) const {
  check(encoder().precision() != runtime::Precision::kInt8, Status::kState,
        "the reranker was loaded with precision = int8, and saved folders hold ",
        "float weights, which it no longer has: load it with precision = float32 to save it");
  io::ModelFolder folder = parts_->folder;
  for (const auto& [name, parameter] : encoder().named_parameters())
    folder.weights[name] = parameter;
  io::write_model_folder(path, folder);
}

std::string CrossEncoder::fingerprint() const {
  return model_fingerprint(parts_->folder, encoder());
}

Json CrossEncoder::info() const {
  const encoder::Architecture& o = encoder().architecture();
  const io::ModelFolder& folder = parts_->folder;
  int64_t parameters = encoder::parameter_count(o, encoder().has_pooler());
  for (const auto& item : folder.classifier->weights) parameters += item.second.elements();
  Json info;
  info["family"] = o.family;
  info["layers"] = o.num_hidden_layers;
  info["hidden_size"] = o.hidden_size;
  info["attention_heads"] = o.num_attention_heads;
  info["intermediate_size"] = o.intermediate_size;
  info["vocab_size"] = o.vocab_size;
  info["parameters"] = parameters;
  info["labels"] = labels();
  info["activation"] = folder.classifier->activation;
  info["head"] = {{"reads", folder.classifier->head.pooling},
                  {"dense", folder.classifier->head.activation},
                  {"norm", folder.classifier->head.norm}};
  info["max_length"] = max_length();
  info["tokenizer"] = tokenizer().kind();
  info["invalid_utf8"] =
      tokenizer().invalid_utf8() == text::InvalidUtf8::kError ? "error" : "replace";
  info["prompts"] = folder.prompts;
  info["default_prompt_name"] = folder.default_prompt_name;
  info["device"] = encoder().device().str();
  info["devices"] = Json::array();
  for (const auto& replica : parts_->replicas.all())
    info["devices"].push_back(replica->device().str());
  info["computed_by"] = encoder().computed_by();
  info["precision"] = runtime::precision_name(encoder().precision());
  info["notes"] = folder.notes;
  return info;
}

void check_pair_room(const text::Tokenizer& tokenizer, int64_t length, const char* what) {
  const auto special = static_cast<int64_t>(tokenizer.encode_pair("", "", 0).ids.size());
  check(length >= special + 2, Status::kArgument, what, " is ", length,
        ", which leaves no room for a token of each text: the special tokens of a pair alone are ",
        special);
}

}  // namespace contrastive::model
