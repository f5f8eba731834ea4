#include "core/io/hf_config.h"

#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::io {
namespace {

using encoder::Activation;
using encoder::Family;

template <class Enum>
struct Named {
  const char* name;
  Enum value;
};

// The first name of a value is the one written.
constexpr Named<Family> kFamilies[] = {{"bert", Family::kBert}, {"roberta", Family::kRoberta}};
constexpr Named<Activation> kActivations[] = {
    {"gelu", Activation::kGeluErf},           {"gelu_python", Activation::kGeluErf}, {"gelu_new", Activation::kGeluTanh},
    {"gelu_pytorch_tanh", Activation::kGeluTanh}, {"gelu_fast", Activation::kGeluTanh},  {"relu", Activation::kRelu},
    {"silu", Activation::kSilu},              {"swish", Activation::kSilu}};

template <class Enum, size_t n>
Enum value_of(const Named<Enum> (&table)[n], const std::string& key, const std::string& name, const std::string& source) {
  std::vector<std::string> names;
  for (const Named<Enum>& row : table) {
    if (name == row.name) return row.value;
    names.emplace_back(row.name);
  }
  fail(Status::kUnsupported, source, ": ", unknown_name(key, name, names));
}

template <class Enum, size_t n>
std::string name_of(const Named<Enum> (&table)[n], Enum value) {
  for (const Named<Enum>& row : table) {
    if (row.value == value) return row.name;
  }
  return "";
}

// Above these a config is a mistake or an attack: ten times the largest encoder known, and small enough that no product of two overflows.
constexpr int64_t kMaxLayers = 1'000;
constexpr int64_t kMaxWidth = 1 << 17;
constexpr int64_t kMaxRows = 1 << 24;
constexpr int64_t kAny = std::numeric_limits<int64_t>::max();

int64_t size_of(const JsonObject& json, const std::string& key, int64_t limit) {
  const int64_t value = json.integer(key, 1, kAny);
  check(value <= limit, Status::kLimit, json.source(), ": ", key, " is ", value, ", above the limit of ", limit);
  return value;
}

Family read_family(const JsonObject& json, std::vector<std::string>& notes) {
  if (json.has("model_type")) return value_of(kFamilies, "model_type", json.string("model_type"), json.source());
  // Files of 2019 have no model_type; the class they were saved from tells as much.
  check(json.has("architectures"), Status::kFormat, json.source(),
        ": neither model_type nor architectures is there: this is no encoder's config.json");
  const Json& classes = json.at("architectures");
  const std::string name = classes.is_array() && !classes.empty() && classes[0].is_string() ? classes[0].get<std::string>() : "";
  for (const auto& [prefix, family] : {std::pair("Bert", Family::kBert), std::pair("Roberta", Family::kRoberta)}) {
    if (name.rfind(prefix, 0) != 0) continue;
    notes.push_back("config.json has no model_type; taken as " + name_of(kFamilies, family) + " from architectures");
    return family;
  }
  fail(Status::kUnsupported, json.source(), ": ", unknown_name("architecture", name, {"Bert...", "Roberta..."}));
}

// Variants of the architecture that change the numbers and that this library does not compute.
void refuse_variants(const JsonObject& json, int64_t hidden_size) {
  const std::string& source = json.source();
  const std::string positions = json.string("position_embedding_type", "absolute");
  check(positions == "absolute", Status::kUnsupported, source, ": position_embedding_type '", positions.substr(0, 60),
        "' is not known; known: absolute");
  check(!json.boolean("is_decoder", false), Status::kUnsupported, source, ": is_decoder is true; only encoders are read");
  check(!json.boolean("add_cross_attention", false), Status::kUnsupported, source, ": add_cross_attention is true; only encoders are read");
  check(!json.has("quantization_config"), Status::kUnsupported, source,
        ": quantization_config: quantised checkpoints are not read; save it in float32");
  check(!json.has("pruned_heads") || json.at("pruned_heads").empty(), Status::kUnsupported, source, ": pruned_heads: pruned models are not read");
  const int64_t embedding_size = json.integer("embedding_size", 1, kAny, hidden_size);
  check(embedding_size == hidden_size, Status::kUnsupported, source, ": embedding_size ", embedding_size, " differs from hidden_size ", hidden_size,
        ": factorised embeddings are not read");
}

}  // namespace

encoder::EncoderOptions read_hf_config(const Json& config, const std::string& source, std::vector<std::string>& notes) {
  const JsonObject json(config, source);
  encoder::EncoderOptions options;
  options.family = read_family(json, notes);
  options.vocab_size = size_of(json, "vocab_size", kMaxRows);
  options.hidden_size = size_of(json, "hidden_size", kMaxWidth);
  options.num_hidden_layers = size_of(json, "num_hidden_layers", kMaxLayers);
  options.num_attention_heads = size_of(json, "num_attention_heads", kMaxWidth);
  options.intermediate_size = size_of(json, "intermediate_size", kMaxWidth);
  options.max_position_embeddings = size_of(json, "max_position_embeddings", kMaxRows);
  check(options.hidden_size % options.num_attention_heads == 0, Status::kFormat, source, ": num_attention_heads ", options.num_attention_heads,
        " does not divide hidden_size ", options.hidden_size);
  refuse_variants(json, options.hidden_size);

  std::string defaulted;
  const auto noted = [&](const char* key) {
    if (!json.has(key)) defaulted += (defaulted.empty() ? "" : ", ") + std::string(key);
    return key;
  };
  // The fallbacks are those of transformers' BertConfig and RobertaConfig.
  options.type_vocab_size = json.integer(noted("type_vocab_size"), 1, 1 << 16, 2);
  options.pad_token_id = json.integer(noted("pad_token_id"), 0, options.vocab_size - 1, options.family == Family::kRoberta ? 1 : 0);
  options.layer_norm_eps = json.real(noted("layer_norm_eps"), 0.0, 1.0, 1e-12);
  options.hidden_dropout_prob = json.real(noted("hidden_dropout_prob"), 0.0, 1.0, 0.1);
  options.attention_probs_dropout_prob = json.real(noted("attention_probs_dropout_prob"), 0.0, 1.0, 0.1);
  options.initializer_range = json.real(noted("initializer_range"), 0.0, 1e3, 0.02);
  options.hidden_act = value_of(kActivations, "hidden_act", json.string(noted("hidden_act"), "gelu"), source);
  if (!defaulted.empty()) notes.push_back("config.json states no " + defaulted + ": transformers' defaults are used");
  check(options.max_tokens() >= 1, Status::kFormat, source, ": max_position_embeddings ", options.max_position_embeddings,
        " leaves no position after pad_token_id ", options.pad_token_id);
  if (json.has("auto_map")) notes.push_back("config.json names code of its own (auto_map): it is ignored, nothing is run");
  return options;
}

Json write_hf_config(const encoder::EncoderOptions& options, const Json& as_read) {
  Json config = as_read.is_object() ? as_read : Json::object();
  const std::string family = name_of(kFamilies, options.family);
  config["architectures"] = {family == "bert" ? "BertModel" : "RobertaModel"};  // heads are not written
  config["model_type"] = family;
  config["vocab_size"] = options.vocab_size;
  config["hidden_size"] = options.hidden_size;
  config["num_hidden_layers"] = options.num_hidden_layers;
  config["num_attention_heads"] = options.num_attention_heads;
  config["intermediate_size"] = options.intermediate_size;
  config["max_position_embeddings"] = options.max_position_embeddings;
  config["type_vocab_size"] = options.type_vocab_size;
  config["pad_token_id"] = options.pad_token_id;
  config["layer_norm_eps"] = options.layer_norm_eps;
  config["hidden_dropout_prob"] = options.hidden_dropout_prob;
  config["attention_probs_dropout_prob"] = options.attention_probs_dropout_prob;
  config["initializer_range"] = options.initializer_range;
  // "gelu_fast" stays "gelu_fast": the name is replaced only where it names another function.
  const auto act = config.find("hidden_act");
  bool same = false;
  for (const auto& row : kActivations) same = same || (act != config.end() && *act == row.name && row.value == options.hidden_act);
  if (!same) config["hidden_act"] = options.hidden_act == Activation::kGeluTanh ? "gelu_new" : name_of(kActivations, options.hidden_act);
  for (const char* key : {"torch_dtype", "dtype"}) {
    if (config.contains(key)) config[key] = "float32";
  }
  return config;
}

}  // namespace contrastive::io
