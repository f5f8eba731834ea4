// Embeds texts: texts -> TokenisedTexts -> encoder::Encoder::infer -> dense modules -> finished
// rows in the caller's order.
#include "core/model/sentence_encoder.h"

#include <algorithm>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/encoder/weights.h"
#include "core/host/fp_environment.h"
#include "core/model/fingerprint.h"
#include "core/model/packed_run.h"
#include "core/model/post_pooling.h"
#include "core/model/replicas.h"
#include "core/model/token_packing.h"
#include "core/runtime/device.h"
#include "core/runtime/threads.h"

namespace contrastive::model {

namespace {

// Which tokens take part in pooling; empty if all do.
std::vector<uint8_t> pooled_tokens(const EncodePlan& plan, const text::TokenBatch& batch) {
  std::vector<uint8_t> keep;
  if (plan.unpooled_tokens == 0 && plan.excluded_ids.empty()) return keep;
  keep.assign(batch.ids.size(), 1);
  for (int64_t text = 0; text < batch.texts(); ++text) {
    const auto begin = static_cast<size_t>(batch.offsets[static_cast<size_t>(text)]);
    std::fill_n(keep.begin() + static_cast<std::ptrdiff_t>(begin),
                std::min(plan.unpooled_tokens, batch.length(text)), uint8_t{0});
  }
  for (size_t i = 0; i < keep.size(); ++i) {
    if (std::binary_search(plan.excluded_ids.begin(), plan.excluded_ids.end(), batch.ids[i]))
      keep[i] = 0;
  }
  return keep;
}

// Checks that the parts of the folder fit together.
void check_parts(const io::ModelFolder& folder, const encoder::Encoder& encoder) {
  if (!folder.poolings.empty()) make_encode_plan(folder, encoder, {});
}

}  // namespace

struct SentenceEncoder::Parts {
  io::ModelFolder folder;  // its weights are empty, because `replicas` own them
  Replicas replicas;
};

SentenceEncoder::SentenceEncoder(io::ModelFolder folder, const LoadOptions& options) {
  Replicas replicas = make_replicas(folder, options);
  if (!options.pooling.empty() && folder.poolings != std::vector<std::string>{options.pooling}) {
    folder.poolings = {options.pooling};
    folder.readme.clear();  // it describes another model
  }
  check(!options.embeds || !folder.poolings.empty(), Status::kArgument, kNoPooling);
  check_parts(folder, replicas.first());
  parts_ = std::make_shared<Parts>(Parts{std::move(folder), std::move(replicas)});
}

SentenceEncoder::SentenceEncoder(io::ModelFolder folder, Replicas replicas) {
  check_parts(folder, replicas.first());
  parts_ = std::make_shared<Parts>(Parts{std::move(folder), std::move(replicas)});
}

std::shared_ptr<SentenceEncoder> SentenceEncoder::load(const std::string& path,
                                                       const LoadOptions& options) {
  return std::make_shared<SentenceEncoder>(read_for(options, path, false, options.adapter),
                                           options);
}

namespace {

// One plan for each variant. Only pooling and what it omits differ between them.
std::vector<EncodePlan> make_plans(const io::ModelFolder& folder, const encoder::Encoder& encoder,
                                   const EncodeOptions& options,
                                   const std::vector<PoolingVariant>& variants) {
  check(!variants.empty(), Status::kArgument, "no pooling variant: at least one is needed");
  std::vector<EncodePlan> plans;
  for (const PoolingVariant& variant : variants) {
    EncodeOptions own = options;
    if (!variant.pooling.empty()) own.pooling = variant.pooling;
    own.exclude_ids.insert(own.exclude_ids.end(), variant.exclude_ids.begin(),
                           variant.exclude_ids.end());
    plans.push_back(make_encode_plan(folder, encoder, own));
    check(plans.back().dimension == plans[0].dimension, Status::kArgument, "pooling ",
          variant.pooling, " gives ", plans.back().dimension, " dimensions where ",
          variants[0].pooling, " gives ", plans[0].dimension, ": variants of one pass must agree");
  }
  return plans;
}

// The columns [begin, begin + width) of rows with `whole` columns.
std::vector<float> columns(const std::vector<float>& rows, int64_t whole, int64_t begin,
                           int64_t width) {
  std::vector<float> part;
  part.reserve(rows.size());
  for (size_t row = 0; row < rows.size(); row += static_cast<size_t>(whole)) {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(row) + begin;
    part.insert(part.end(), first, first + width);
  }
  return part;
}

// Calls Encoder::infer, but gives zeros for a text without tokens: a tokenizer without special
// tokens produces none for "", and there is nothing to pool.
void infer_texts(const encoder::Encoder& encoder, const encoder::PackedTokens& tokens,
                 const std::vector<encoder::Pooling>& poolings,
                 const std::vector<const uint8_t*>& keeps, int64_t width, float* out,
                 int most_threads) {
  const int64_t* const end = tokens.offsets + tokens.texts + 1;
  if (std::adjacent_find(tokens.offsets, end) == end)
    return encoder.infer(tokens, poolings, keeps, out, most_threads);
  encoder::PackedTokens filled = tokens;
  std::vector<int64_t> offsets = tokens.boundaries();
  offsets.erase(std::unique(offsets.begin(), offsets.end()), offsets.end());
  filled.offsets = offsets.data();
  filled.texts = static_cast<int64_t>(offsets.size()) - 1;
  if (filled.texts > 0) encoder.infer(filled, poolings, keeps, out, most_threads);
  for (int64_t text = tokens.texts - 1, from = filled.texts; from <= text; --text) {
    if (tokens.length(text) == 0) std::fill_n(out + text * width, width, 0.0F);
    else if (--from < text) std::copy_n(out + from * width, width, out + text * width);
  }
}

// Writes the finished vectors of one batch under each plan: row i goes to row destination[i] of
// `out`, or to row i if `destination` is null.
void embed_batch(const io::ModelFolder& folder, const encoder::Encoder& encoder,
                 const std::vector<EncodePlan>& plans, const text::TokenBatch& batch,
                 int most_threads, const int64_t* destination, float* out) {
  std::vector<std::vector<uint8_t>> keep(plans.size());
  std::vector<encoder::Pooling> poolings;
  std::vector<const uint8_t*> keeps;
  int64_t pooled_width = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    keep[i] = pooled_tokens(plans[i], batch);
    poolings.insert(poolings.end(), plans[i].poolings.begin(), plans[i].poolings.end());
    keeps.insert(keeps.end(), plans[i].poolings.size(), keep[i].empty() ? nullptr : keep[i].data());
    pooled_width += plans[i].pooled_width;
  }
  std::vector<float> pooled((Size(batch.texts(), "pooled vectors") * pooled_width).bytes());
  infer_texts(encoder, packed_view(batch), poolings, keeps, pooled_width, pooled.data(),
              most_threads);
  int64_t begin = 0;
  for (size_t i = 0; i < plans.size(); ++i) {
    const EncodePlan& plan = plans[i];
    // A single text takes microseconds. With one plan, the usual case, avoid a copy.
    std::vector<float> rows;
    if (plans.size() == 1) rows.swap(pooled);
    else rows = columns(pooled, pooled_width, begin, plan.pooled_width);
    begin += plan.pooled_width;
    const int64_t width = apply_dense(folder.dense, rows, batch.texts(), plan.pooled_width);
    const int64_t stride = plan.dimension * static_cast<int64_t>(plans.size());
    for (int64_t row = 0; row < batch.texts(); ++row) {
      const int64_t to = destination == nullptr ? row : destination[row];
      finish_row(plan, rows.data() + row * width, width,
                 out + to * stride + static_cast<int64_t>(i) * plan.dimension);
    }
  }
}

// Finite weights may overflow on the way, and weights with NaN are loaded if the caller requested
// it. In both cases a vector that is not finite is an error, which names the lowest index of such a
// text: search cannot handle it.
void check_finite(const float* embeddings, int64_t texts, int64_t width) {
  for (int64_t text = 0; text < texts; ++text) {
    const float* const row = embeddings + text * width;
    float sum = 0;  // a sum of zeros, or NaN if any number is NaN or infinite
    for (int64_t i = 0; i < width; ++i) sum += row[i] * 0.0f;
    check(sum == 0, Status::kNumeric, "texts[", text,
          "]: its vector is not finite: the model's weights overflow, or hold NaN or infinity");
  }
}

}  // namespace

void SentenceEncoder::encode(const std::vector<std::string_view>& texts,
                             const EncodeOptions& options, float* embeddings,
                             int32_t* token_counts) const {
  encode(texts, plan(options), options.cancel, embeddings, token_counts);
}

EncodePlan SentenceEncoder::plan(const EncodeOptions& options) const {
  return make_encode_plan(parts_->folder, parts_->replicas.first(), options);
}

void SentenceEncoder::encode(const std::vector<std::string_view>& texts, EncodePlan plan,
                             const Cancel* cancel, float* embeddings, int32_t* token_counts) const {
  std::vector<EncodePlan> plans;
  plans.push_back(std::move(plan));
  run(texts, plans, cancel, embeddings, token_counts);
}

void SentenceEncoder::encode_variants(const std::vector<std::string_view>& texts,
                                      const EncodeOptions& options,
                                      const std::vector<PoolingVariant>& variants,
                                      float* embeddings, int32_t* token_counts) const {
  run(texts, make_plans(parts_->folder, parts_->replicas.first(), options, variants),
      options.cancel, embeddings, token_counts);
}

void SentenceEncoder::run(const std::vector<std::string_view>& texts,
                          const std::vector<EncodePlan>& plans, const Cancel* cancel,
                          float* embeddings, int32_t* token_counts) const {
  const host::FpEnvironment environment;
  const EncodePlan& plan = plans[0];
  if (texts.empty()) return;
  check(embeddings != nullptr, Status::kArgument, "embeddings is null for ", texts.size(),
        " texts");
  const TokenisedTexts tokens(*parts_->folder.tokenizer, texts, plan.prompt, plan.max_length,
                              cancel);
  run_packed(tokens, parts_->replicas, plan.batch_tokens, cancel, "texts encoded",
             [&](const encoder::Encoder& encoder, const text::TokenBatch& batch,
                 const int64_t* order, int most_threads) {
               embed_batch(parts_->folder, encoder, plans, batch, most_threads, order, embeddings);
             });
  check_finite(embeddings, static_cast<int64_t>(texts.size()),
               plan.dimension * static_cast<int64_t>(plans.size()));
  for (size_t i = 0; token_counts != nullptr && i < texts.size(); ++i)
    token_counts[i] = tokens.full_length(static_cast<int64_t>(i));
}

std::vector<float> SentenceEncoder::embed(const text::TokenBatch& batch,
                                          const EncodeOptions& options) const {
  const host::FpEnvironment environment;
  const std::vector<EncodePlan> plans =
      make_plans(parts_->folder, parts_->replicas.first(), options, {PoolingVariant{}});
  std::vector<float> out((Size(batch.texts(), "texts") * plans[0].dimension).bytes());
  if (batch.texts() > 0)
    embed_batch(parts_->folder, parts_->replicas.first(), plans, batch, runtime::threads(), nullptr,
                out.data());
  check_finite(out.data(), batch.texts(), plans[0].dimension);
  return out;
}

int64_t SentenceEncoder::dimension() const { return dimension({}); }
int64_t SentenceEncoder::dimension(const EncodeOptions& options) const {
  return plan(options).dimension;
}
int64_t SentenceEncoder::max_length() const { return own_max_length(parts_->folder, shape()); }
const text::Tokenizer& SentenceEncoder::tokenizer() const { return *parts_->folder.tokenizer; }
const encoder::Architecture& SentenceEncoder::shape() const {
  return parts_->replicas.first().architecture();
}
const io::ModelFolder& SentenceEncoder::folder() const { return parts_->folder; }
const Replicas& SentenceEncoder::replicas() const { return parts_->replicas; }
const encoder::Encoder& SentenceEncoder::encoder() const { return parts_->replicas.first(); }

void SentenceEncoder::set_dense(std::vector<io::DenseModule> dense) {
  io::ModelFolder changed = parts_->folder;
  changed.dense = std::move(dense);
  changed.readme.clear();
  make_encode_plan(changed, parts_->replicas.first(), {});
  parts_->folder = std::move(changed);
}

void SentenceEncoder::set_pooling(std::vector<std::string> poolings) {
  io::ModelFolder changed = parts_->folder;
  if (changed.poolings != poolings) changed.readme.clear();
  changed.poolings = std::move(poolings);
  make_encode_plan(changed, parts_->replicas.first(), {});
  parts_->folder = std::move(changed);
}

void SentenceEncoder::set_truncate_dim(int64_t dimensions) {
  parts_->folder.truncate_dim = dimensions;
}

void SentenceEncoder::set_prompts(std::map<std::string, std::string> prompts) {
  const std::string& name = parts_->folder.default_prompt_name;
  check(name.empty() || prompts.count(name) > 0, Status::kArgument, "the prompts lack '", name,
        "', the model's default");
  parts_->folder.prompts = std::move(prompts);
}

void SentenceEncoder::set_card(io::ModelCard card) {
  parts_->folder.card = std::make_shared<const io::ModelCard>(std::move(card));
}

void SentenceEncoder::set_adapter(std::shared_ptr<const io::Adapter> adapter) {
  parts_->folder.adapter = std::move(adapter);
}

void SentenceEncoder::set_mlm_head(TensorMap head) { parts_->folder.mlm_head = std::move(head); }

std::shared_ptr<SentenceEncoder> SentenceEncoder::snapshot() const {
  auto copy = std::make_shared<SentenceEncoder>(*this);
  io::ModelFolder folder = parts_->folder;
  for (io::DenseModule& module : folder.dense)
    module = {module.weight.clone(), module.bias.clone(), module.activation, module.normalizes};
  copy->parts_ = std::make_shared<Parts>(Parts{std::move(folder), parts_->replicas.clone()});
  return copy;
}

void SentenceEncoder::save(const std::string& path) const {
  check(parts_->replicas.first().precision() != runtime::Precision::kInt8, Status::kState,
        "the model was loaded with precision = int8, and saved folders hold ",
        "float weights, which it has no more: load it with precision = float32 to save it");
  io::ModelFolder folder = parts_->folder;
  for (const auto& [name, parameter] : parts_->replicas.first().named_parameters())
    folder.weights[name] = parameter;
  io::write_model_folder(path, folder);
}

std::string SentenceEncoder::fingerprint() const {
  return model_fingerprint(parts_->folder, parts_->replicas.first());
}

Json SentenceEncoder::info() const {
  const encoder::Architecture& o = shape();
  int64_t parameters = encoder::parameter_count(o, parts_->replicas.first().has_pooler());
  for (const io::DenseModule& module : parts_->folder.dense)
    parameters += module.weight.elements() + module.bias.elements();
  Json info;
  info["family"] = o.family;
  info["layers"] = o.num_hidden_layers;
  info["hidden_size"] = o.hidden_size;
  info["attention_heads"] = o.num_attention_heads;
  info["intermediate_size"] = o.intermediate_size;
  info["vocab_size"] = o.vocab_size;
  info["parameters"] = parameters;
  info["dimension"] = parts_->folder.poolings.empty() ? Json() : Json(dimension());
  info["max_length"] = max_length();
  info["tokenizer"] = parts_->folder.tokenizer->kind();
  info["invalid_utf8"] =
      tokenizer().invalid_utf8() == text::InvalidUtf8::kError ? "error" : "replace";
  info["pooling"] = parts_->folder.poolings;
  info["include_prompt"] = parts_->folder.include_prompt;
  info["dense"] = Json::array();
  for (const io::DenseModule& module : parts_->folder.dense) {
    info["dense"].push_back({{"in", module.weight.size(1)},
                             {"out", module.weight.size(0)},
                             {"activation", module.activation}});
  }
  info["normalize"] = parts_->folder.normalize;
  info["truncate_dim"] = parts_->folder.truncate_dim;
  info["prompts"] = parts_->folder.prompts;
  info["default_prompt_name"] = parts_->folder.default_prompt_name;
  info["similarity"] = parts_->folder.similarity;
  info["device"] = parts_->replicas.first().device().str();
  info["devices"] = Json::array();
  for (const auto& replica : parts_->replicas.all())
    info["devices"].push_back(replica->device().str());
  info["computed_by"] = parts_->replicas.first().computed_by();
  info["precision"] = runtime::precision_name(parts_->replicas.first().precision());
  info["notes"] = parts_->folder.notes;
  return info;
}

}  // namespace contrastive::model
