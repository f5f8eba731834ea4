#include "core/io/adapter.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/nearest.h"
#include "core/base/sha256.h"
#include "core/io/atomic_file.h"
#include "core/io/families/family.h"
#include "core/io/folder_snapshot.h"
#include "core/io/safetensors.h"
#include "core/io/stated_keys.h"
#include "core/io/tensor_reader.h"
#include "core/io/weight_names.h"

namespace contrastive::io {
namespace {

const std::string kAdapterConfig = "adapter_config.json",
                  kAdapterTensors = "adapter_model.safetensors";
const std::string kPeftPrefix = "base_model.model.";
constexpr const char* kBaseDigest =
    "contrastive.base_sha256";  // in the tensor file's metadata, which peft ignores

// The LoRA configuration of peft 0.21.2 with all its defaults.
Json plain_peft_config() {
  return {{"alora_invocation_tokens", nullptr},
          {"alpha_pattern", Json::object()},
          {"arrow_config", nullptr},
          {"auto_mapping", nullptr},
          {"base_model_name_or_path", nullptr},
          {"bias", "none"},
          {"corda_config", nullptr},
          {"ensure_weight_tying", false},
          {"eva_config", nullptr},
          {"exclude_modules", nullptr},
          {"fan_in_fan_out", false},
          {"inference_mode", true},
          {"init_lora_weights", true},
          {"kasa_config", nullptr},
          {"layer_replication", nullptr},
          {"layers_pattern", nullptr},
          {"layers_to_transform", nullptr},
          {"loftq_config", Json::object()},
          {"lora_alpha", 8},
          {"lora_bias", false},
          {"lora_dropout", 0.0},
          {"lora_ga_config", nullptr},
          {"megatron_config", nullptr},
          {"megatron_core", "megatron.core"},
          {"modules_to_save", nullptr},
          {"monteclora_config", nullptr},
          {"peft_type", "LORA"},
          {"peft_version", "0.21.2"},
          {"qalora_group_size", 16},
          {"r", 8},
          {"rank_pattern", Json::object()},
          {"revision", nullptr},
          {"target_modules", Json::array()},
          {"target_parameters", nullptr},
          {"task_type", nullptr},
          {"trainable_token_indices", nullptr},
          {"use_bdlora", nullptr},
          {"use_dora", false},
          {"use_qalora", false},
          {"use_rslora", false},
          {"velora_config", nullptr}};
}

void check_peft_config(const JsonObject& config, const Json& json) {
  const std::string type = config.string("peft_type", "");
  check(type == "LORA", Status::kUnsupported, config.source(), ": peft_type is '", type,
        "': adapters of type LORA are read");
  const std::string bias = config.string("bias", "none");
  check(bias == "none", Status::kUnsupported, config.source(), ": bias is '", bias,
        "': adapters that change biases are not read, only bias = none");
  if (config.has("init_lora_weights") && config.at("init_lora_weights").is_string()) {
    // The other methods start with a decomposition of W and use the remainder as the base, which is
    // not in this folder.
    static const std::set<std::string> kKeepTheBase = {"gaussian", "eva", "orthogonal", "mica"};
    const std::string start = config.string("init_lora_weights");
    check(kKeepTheBase.count(start) > 0, Status::kUnsupported, config.source(),
          ": init_lora_weights is '", start,
          "', which changes the base model too: convert the adapter with peft "
          "(path_initial_model_for_weight_conversion)");
  }
  check_only_stated_keys(kAdapterConfig, json, config.source(), kPlainOnly);
}

// "base_model.model.bert.encoder.layer.0.attention.self.query.lora_A.weight"
struct AdapterTensor {
  std::string module;  // the name in adapter_places()
  bool is_a = false;
};
AdapterTensor parse_tensor_name(const std::string& name, const encoder::Architecture& architecture,
                                const std::string& source) {
  AdapterTensor tensor;
  std::string rest = begins_with(name, kPeftPrefix) ? name.substr(kPeftPrefix.size()) : name;
  for (const bool a : {true, false}) {
    const std::string end = a ? ".lora_A.weight" : ".lora_B.weight";
    if (!ends_with(rest, end)) continue;
    const std::string weight =
        family_tensor_name(rest.substr(0, rest.size() - end.size()) + ".weight", architecture);
    tensor.module = weight.substr(0, weight.size() - std::string(".weight").size());
    tensor.is_a = a;
    return tensor;
  }
  fail(Status::kUnsupported, source, ": tensor '", name.substr(0, 200),
       "' is neither lora_A.weight nor lora_B.weight: only plain low-rank adapters are read");
}

// The number of the layer of a module: the last number in its name, or -1.
int64_t layer_of(const std::string& module) {
  int64_t layer = -1;
  for (size_t begin = 0; begin < module.size();) {
    const size_t end = std::min(module.find('.', begin), module.size());
    const std::string part = module.substr(begin, end - begin);
    if (!part.empty() && part.size() < 7 &&
        part.find_first_not_of("0123456789") == std::string::npos)
      layer = std::stoll(part);
    begin = end + 1;
  }
  return layer;
}

// Whether one of the names in a list fits a module by peft's rule: its whole name, or its end after
// a dot.
bool any_fits(const Json& names, const std::string& module) {
  return std::any_of(names.begin(), names.end(), [&](const Json& name) {
    return name.is_string() &&
           (module == name.get<std::string>() || ends_with(module, "." + name.get<std::string>()));
  });
}

// peft ignores the tensors of modules that its configuration does not select. A regular expression
// is not evaluated.
void check_chosen(const JsonObject& config, const std::string& tensor) {
  const std::string name = begins_with(tensor, kPeftPrefix) ? tensor.substr(kPeftPrefix.size())
                                                            : tensor,
                    module = name.substr(0, name.find(".lora_"));
  const auto refuse_if = [&](bool left_out, const char* key) {
    check(!left_out, Status::kUnsupported, config.source(), ": ", key, " leaves out the module '",
          module.substr(0, 200),
          "', for which the adapter has tensors: correct the key, or remove the tensors");
  };
  const auto list = [&](const char* key) { return config.has(key) ? config.at(key) : Json(); };
  const Json targets = list("target_modules"), excluded = list("exclude_modules"),
             layers = list("layers_to_transform");
  check(!excluded.is_string(), Status::kUnsupported, config.source(),
        ": exclude_modules is a regular expression, which is not read: list the modules");
  refuse_if(targets.is_array() && !targets.empty() && !any_fits(targets, module), "target_modules");
  refuse_if(excluded.is_array() && any_fits(excluded, module), "exclude_modules");
  const int64_t layer = layer_of(module);
  const Json wanted = layers.is_array() || layers.is_null() ? layers : Json::array({layers});
  refuse_if(layer >= 0 && !wanted.empty() &&
                std::find(wanted.begin(), wanted.end(), Json(layer)) == wanted.end(),
            "layers_to_transform");
}

bool is_of_head(const std::string& module, const encoder::Architecture& architecture) {
  const std::vector<ModuleName>& head = family_named(architecture.family).classifier_modules;
  return std::any_of(head.begin(), head.end(),
                     [&](const ModuleName& name) { return module == name.file; });
}

Adapter read_held_adapter(const std::string& folder, const encoder::Architecture& architecture) {
  check(architecture.num_hidden_layers > 0, Status::kMismatch, folder,
        ": an adapter belongs to the layers of an encoder, and static embeddings have none");
  const std::string config_path = folder + "/" + kAdapterConfig,
                    tensor_path = folder + "/" + kAdapterTensors;
  check(path_exists(config_path), Status::kNotFound, config_path,
        ": not there, so this is not the folder of an adapter");
  const Json json = read_json_file(config_path);
  const JsonObject config(json, config_path);
  check_peft_config(config, json);
  Adapter adapter;
  adapter.rank = config.integer("r", 1, 1 << 20);
  adapter.alpha = config.real("lora_alpha", -1e9, 1e9);
  adapter.dropout = config.real("lora_dropout", 0, 1, 0);
  adapter.rank_stabilized = config.boolean("use_rslora", false);
  adapter.base = config.string("base_model_name_or_path", "");
  check(path_exists(tensor_path), Status::kNotFound, tensor_path,
        ": not there: the tensors of an adapter are read from this file alone");
  const SafetensorsFile file(tensor_path);
  const auto digest = file.metadata().find(kBaseDigest);
  if (digest != file.metadata().end()) adapter.base_digest = digest->second;

  const std::vector<AdapterPlace> places = readable_adapter_places(architecture);
  std::map<std::string, size_t> place_of;
  for (size_t i = 0; i < places.size(); ++i) place_of.emplace(places[i].module, i);
  std::map<size_t, std::pair<TensorSource, TensorSource>> found;
  for (const TensorEntry& entry : file.entries()) {
    const AdapterTensor tensor = parse_tensor_name(entry.name, architecture, tensor_path);
    const auto place = place_of.find(tensor.module);
    check(place != place_of.end() || !is_of_head(tensor.module, architecture), Status::kUnsupported,
          tensor_path, ": tensor '", entry.name,
          "' adapts the classification head, and only adapters of the encoder are read: merge it "
          "with peft first (merge_and_unload)");
    check(place != place_of.end(), Status::kMismatch, tensor_path, ": tensor '", entry.name,
          "' belongs to no module of this model (", architecture.family, ", ",
          architecture.num_hidden_layers,
          " layers): the adapter was made for another model, or its modules have names that are "
          "not read here; then merge it with "
          "peft first (merge_and_unload)");
    check_chosen(config, entry.name);
    const AdapterPlace& module = places[place->second];
    const std::vector<int64_t> wanted = tensor.is_a
                                            ? std::vector<int64_t>{adapter.rank, module.in}
                                            : std::vector<int64_t>{module.out, adapter.rank};
    check(entry.shape == wanted, Status::kMismatch, tensor_path, ": tensor '", entry.name, "' is ",
          shape_text(entry.shape), ", but this model and r = ", adapter.rank, " need ",
          shape_text(wanted), ": the adapter was made for another model");
    TensorSource& source = tensor.is_a ? found[place->second].first : found[place->second].second;
    check(source.entry == nullptr, Status::kFormat, tensor_path, ": '", entry.name, "' and '",
          source.entry == nullptr ? "" : source.entry->name, "' are for the same module");
    source = {&file, &entry};
  }
  check(!found.empty(), Status::kFormat, tensor_path, ": holds no tensors");
  std::vector<TensorSource> sources;
  for (const auto& [place, pair] : found) {
    check(pair.first.entry != nullptr && pair.second.entry != nullptr, Status::kMismatch,
          tensor_path, ": module '", places[place].module, "' has ",
          pair.first.entry == nullptr ? "no lora_A" : "no lora_B");
    sources.insert(sources.end(), {pair.first, pair.second});
  }
  const std::vector<Tensor> tensors = read_tensors(sources);
  size_t next = 0;
  for (const auto& [place, pair] : found) {
    adapter.modules.push_back({places[place], tensors[next], tensors[next + 1]});
    next += 2;
  }
  return adapter;
}

}  // namespace

double Adapter::scale() const {
  return alpha /
         (rank_stabilized ? std::sqrt(static_cast<double>(rank)) : static_cast<double>(rank));
}

Adapter read_adapter(const std::string& folder, const encoder::Architecture& architecture) {
  check(!folder.empty(), Status::kArgument, "the path of the adapter is empty");
  return read_snapshot(folder, [&] { return read_held_adapter(folder, architecture); });
}

void write_adapter(const std::string& folder, const Adapter& adapter,
                   const encoder::Architecture& architecture) {
  Json config = plain_peft_config();
  TensorMap tensors;
  std::vector<AdapterPlace> places;
  for (const Adapter::Module& module : adapter.modules) {
    places.push_back(module.place);
    tensors[kPeftPrefix + module.place.module + ".lora_A.weight"] = module.a;
    tensors[kPeftPrefix + module.place.module + ".lora_B.weight"] = module.b;
  }
  if (!adapter.base.empty()) config["base_model_name_or_path"] = adapter.base;
  config["r"] = adapter.rank;
  config["lora_alpha"] = adapter.alpha == std::floor(adapter.alpha)
                             ? Json(static_cast<int64_t>(adapter.alpha))
                             : Json(adapter.alpha);
  config["lora_dropout"] = adapter.dropout;
  config["use_rslora"] = adapter.rank_stabilized;
  config["target_modules"] = peft_target_modules(architecture, places);
  OutputFile text(folder + "/" + kAdapterConfig);
  text.write(config.dump(2) + "\n");
  text.finish();
  std::map<std::string, std::string> metadata;
  if (!adapter.base_digest.empty()) metadata[kBaseDigest] = adapter.base_digest;
  OutputFile file(folder + "/" + kAdapterTensors);
  write_safetensors(file, tensors, metadata);
  file.finish();
}

std::string adapter_base_digest(const std::vector<AdapterPlace>& places, const TensorMap& weights) {
  std::set<std::string> names;
  for (const AdapterPlace& place : places) names.insert(place.weights.begin(), place.weights.end());
  Sha256 hash;
  for (const std::string& name : names) {
    const Tensor& weight = weights.at(name);
    hash.update(cat(name, ' ', shape_text(weight.shape()), '\0'));
    hash.update({static_cast<const char*>(weight.data()),
                 static_cast<size_t>(weight.size(1)) * sizeof(float)});
  }
  return hash.hex();
}

Tensor low_rank_product(const Adapter::Module& module, size_t part, double scale) {
  int64_t first = 0;
  for (size_t i = 0; i < part; ++i) first += module.place.rows[i];
  const int64_t rows = module.place.rows.at(part), in = module.place.in, rank = module.a.size(0);
  Tensor product = Tensor::filled({rows, in}, 0);
  float* const out = product.mutable_floats();
  for (int64_t row = 0; row < rows; ++row) {
    float* const to = out + row * in;
    for (int64_t k = 0; k < rank; ++k) {
      const float factor = module.b.floats()[(first + row) * rank + k];
      const float* const from = module.a.floats() + k * in;
      for (int64_t i = 0; i < in; ++i) to[i] += factor * from[i];
    }
    for (int64_t i = 0; i < in; ++i) to[i] *= static_cast<float>(scale);
  }
  return product;
}

void merge_adapter(const Adapter& adapter, TensorMap& weights, const std::string& source) {
  if (!adapter.base_digest.empty()) {
    std::vector<AdapterPlace> places;
    for (const Adapter::Module& module : adapter.modules) places.push_back(module.place);
    check(adapter_base_digest(places, weights) == adapter.base_digest, Status::kMismatch, source,
          ": the adapter was trained on a model with other weights",
          adapter.base.empty() ? std::string()
                               : cat(" (it was called '", adapter.base.substr(0, 200), "')"),
          ": load it with the model that its training began from, not with one that it is merged "
          "into");
  }
  for (const Adapter::Module& module : adapter.modules) {
    for (size_t part = 0; part < module.place.weights.size(); ++part) {
      const auto found = weights.find(module.place.weights[part]);
      if (found == weights.end()) continue;  // the pooler, which may be missing in a checkpoint
      const Tensor product = low_rank_product(module, part, adapter.scale());
      float* const weight = found->second.mutable_floats();
      bool finite = true;
      for (int64_t i = 0; i < product.elements(); ++i) {
        const bool was_finite = std::isfinite(weight[i]);
        weight[i] += product.floats()[i];
        finite = finite && (std::isfinite(weight[i]) || !was_finite);
      }
      check(finite, Status::kNumeric, source, ": '", module.place.weights[part],
            "' is no longer finite with the adapter: lora_alpha or the adapter's tensors are too "
            "large");
    }
  }
}

}  // namespace contrastive::io
