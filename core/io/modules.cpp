#include "core/io/modules.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/io/stated_keys.h"
#include "core/io/static_table.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxDenseWidth = 1 << 20;

struct ActivationName {
  const char* class_name;
  const char* activation;
};
constexpr ActivationName kActivationNames[] = {{"torch.nn.modules.activation.Tanh", "tanh"},
                                               {"torch.nn.modules.activation.ReLU", "relu"},
                                               {"torch.nn.modules.linear.Identity", "identity"},
                                               {"torch.nn.modules.activation.GELU", "gelu"},
                                               {"torch.nn.modules.activation.Sigmoid", "sigmoid"},
                                               {"torch.nn.modules.activation.SiLU", "silu"},
                                               {"torch.nn.modules.activation.Mish", "mish"}};

enum class Kind { kTransformer, kStaticEmbedding, kPooling, kDense, kDropout, kNormalize };

// The classes have moved between packages over the years, but the last part of the name stayed.
// Nothing is imported or run.
Kind module_kind(const std::string& type, const std::string& source) {
  const std::string name = type.substr(type.rfind('.') + 1);
  if (type.rfind("sentence_transformers.", 0) == 0) {
    if (name == "Transformer" || name == "BERT" || name == "RoBERTa") return Kind::kTransformer;
    if (name == "StaticEmbedding") return Kind::kStaticEmbedding;
    if (name == "Pooling") return Kind::kPooling;
    if (name == "Dense") return Kind::kDense;
    if (name == "Dropout") return Kind::kDropout;
    if (name == "Normalize") return Kind::kNormalize;
  }
  fail(Status::kUnsupported, source, ": the module type '", type.substr(0, 200),
       "' is not known, and no code of a checkpoint is ever run; known: sentence_transformers' "
       "Transformer, StaticEmbedding, Pooling, Dense, Dropout and Normalize");
}

// A module that reads or writes anything but the sentence embedding does not compute what its name
// says.
void check_features(const JsonObject& config) {
  for (const char* key : {"module_input_name", "module_output_name"}) {
    const std::string name = config.string(key, "sentence_embedding");
    check(name == "sentence_embedding", Status::kUnsupported, config.source(), ": ", key, " '",
          name.substr(0, 60),
          "' is not known; known: sentence_embedding, so a module works on the vectors of texts, "
          "and not on those of tokens");
  }
}

DenseConfig read_dense(const std::string& folder, std::vector<std::string>& notes) {
  const Json json = read_json_file(folder + "/config.json");
  const JsonObject config(json, folder + "/config.json");
  check_stated_keys("Dense/config.json", json, config.source(), notes);
  check_features(config);
  DenseConfig dense;
  dense.folder = folder;
  dense.in_features = config.integer("in_features", 1, kMaxDenseWidth);
  dense.out_features = config.integer("out_features", 1, kMaxDenseWidth);
  dense.bias = config.boolean("bias", true);
  if (!config.has("activation_function")) {
    notes.push_back(config.source() +
                    " states no activation_function: Tanh is used, as sentence-transformers does");
  }
  dense.activation =
      activation_from_class(config.string("activation_function", kActivationNames[0].class_name),
                            config.source());
  return dense;
}

void read_normalize(const std::string& folder, std::vector<std::string>& notes) {
  const std::string path = folder + "/config.json";
  if (!path_exists(path)) return;  // before version 5 the folder was empty
  const Json json = read_json_file(path);
  check_stated_keys("Normalize/config.json", json, path, notes);
  check_features(JsonObject(json, path));
}

// This file is written in addition to sentence-transformers' poolings if they are not the model's
// own.
void read_own_poolings(const std::string& folder, ModuleList& modules) {
  const std::string path = folder + "/contrastive.json";
  if (!path_exists(path)) return;
  modules.files.push_back(path);
  std::vector<std::string>& poolings_read = modules.pooling.poolings;
  const Json json = read_json_file(path);
  const JsonObject config(json, path);
  const Json& poolings = config.at("poolings");
  check(poolings.is_array() && poolings.size() == poolings_read.size(), Status::kFormat, path,
        ": poolings must be a list of as many names as 1_Pooling has modes");
  for (size_t i = 0; i < poolings.size(); ++i) {
    check(poolings[i].is_string(), Status::kFormat, path, ": poolings must be a list of names");
    poolings_read[i] = poolings[i].get<std::string>();
  }
}

void take_static(ModuleList& modules) {
  modules.is_static = true;
  modules.pooling.poolings = {"mean"};
}

}  // namespace

ModuleList read_modules(const std::string& folder, std::vector<std::string>& notes) {
  ModuleList modules;
  const std::string path = folder + "/modules.json";
  if (!path_exists(path)) {
    modules.transformer_folder = folder;
    const std::string config = folder + "/config.json";
    if (path_exists(config) && is_model2vec(read_json_file(config))) {
      take_static(modules);
      modules.normalize = read_json_file(config).value("normalize", Json(false)) == Json(true);
      return modules;
    }
    notes.push_back("no modules.json: a plain Hugging Face folder, which states no pooling");
    return modules;
  }
  const Json json = read_json_file(path);
  modules.listed = true;
  modules.files.push_back(path);
  check(json.is_array() && !json.empty() && json.size() <= 100, Status::kFormat, path,
        ": a list of 1 to 100 modules is needed");
  for (size_t i = 0; i < json.size(); ++i) {
    const JsonObject module(json[i], path + ": module " + std::to_string(i));
    check_stated_keys("modules.json", json[i], module.source(), notes);
    const Kind kind = module_kind(module.string("type"), module.source());
    const std::string place = join_inside(folder, module.string("path", ""), module.source());
    check((i == 0) == (kind == Kind::kTransformer || kind == Kind::kStaticEmbedding),
          Status::kFormat, module.source(),
          ": one Transformer is needed, as the first module, or one StaticEmbedding");
    check(
        (kind != Kind::kPooling || (i == 1 && !modules.is_static)) &&
            (kind != Kind::kDense || !modules.pooling.poolings.empty()),
        Status::kUnsupported, module.source(),
        ": one Pooling is read, behind the Transformer, and Dense modules behind that or behind a ",
        "StaticEmbedding");
    const std::string config = place + "/config.json";
    if (kind == Kind::kPooling || kind == Kind::kDense) modules.files.push_back(config);
    switch (kind) {
      case Kind::kTransformer: modules.transformer_folder = place; break;
      case Kind::kStaticEmbedding:
        modules.transformer_folder = place;
        take_static(modules);
        break;
      case Kind::kPooling: {
        const Json pooling = read_json_file(config);
        check_stated_keys("Pooling/config.json", pooling, config, notes);
        modules.pooling = read_pooling_config(pooling, config);
        break;
      }
      case Kind::kDense:
        modules.dense.push_back(read_dense(place, notes));
        modules.dense.back().normalizes = std::exchange(modules.normalize, false);
        break;
      case Kind::kDropout:
        notes.push_back(module.source() + " is a Dropout, which does nothing when texts are "
                                          "embedded: it is left out, and not saved");
        break;
      case Kind::kNormalize:
        read_normalize(place, notes);
        modules.normalize = true;
        break;
    }
  }
  read_own_poolings(folder, modules);
  if (modules.pooling.poolings.empty())
    notes.push_back("modules.json has no Pooling module: the folder states no pooling");
  return modules;
}

PromptConfig read_prompt_config(const std::string& folder, std::vector<std::string>& notes,
                                const char* kind) {
  PromptConfig result;
  const std::string path = folder + "/config_sentence_transformers.json";
  if (!path_exists(path)) return result;
  const Json json = read_json_file(path);
  const JsonObject config(json, path);
  result.file = path;
  check_stated_keys("config_sentence_transformers.json", json, path, notes);
  const std::string stated = config.string("model_type", kind);
  check(stated == kind, Status::kUnsupported, path, ": model_type '", stated.substr(0, 60),
        "' is not known; known: ", kind,
        stated == "CrossEncoder"          ? " (this is a reranker: load it as one)"
        : stated == "SentenceTransformer" ? " (this is a sentence encoder, and no reranker)"
                                          : "");
  result.activation_class = config.string("activation_fn", "");
  if (config.has("prompts")) {
    const JsonObject prompts(config.at("prompts"), path + ": prompts");
    for (const auto& item : config.at("prompts").items())
      result.prompts[item.key()] = prompts.string(item.key());
  }
  result.default_prompt_name = config.string("default_prompt_name", "");
  check(!config.has("default_prompt_name") || !result.default_prompt_name.empty(),
        Status::kUnsupported, path,
        ": default_prompt_name is \"\": a prompt without a name is not read as the default; give "
        "it a name");
  check(result.default_prompt_name.empty() || result.prompts.count(result.default_prompt_name) > 0,
        Status::kFormat, path, ": default_prompt_name '", result.default_prompt_name.substr(0, 100),
        "' is not among the prompts");
  std::string similarity = config.string("similarity_fn_name", "cosine");
  if (similarity == "dot_product") similarity = "dot";
  const std::vector<std::string> known = {"cosine", "dot", "euclidean", "manhattan"};
  check(std::find(known.begin(), known.end(), similarity) != known.end(), Status::kUnsupported,
        path, ": ", unknown_name("similarity_fn_name", similarity, known));
  result.similarity = similarity;
  result.truncate_dim = config.integer("truncate_dim", 1, std::numeric_limits<int64_t>::max(), 0);
  return result;
}

std::vector<std::string> dense_activations() {
  std::vector<std::string> names;
  for (const ActivationName& row : kActivationNames) names.emplace_back(row.activation);
  return names;
}

std::string activation_from_class(const std::string& class_name, const std::string& source) {
  std::vector<std::string> known;
  for (const ActivationName& row : kActivationNames) {
    const std::string full = row.class_name, brief = "torch.nn." + full.substr(full.rfind('.') + 1);
    if (class_name == full || class_name == brief) return row.activation;
    known.emplace_back(row.class_name);
  }
  fail(Status::kUnsupported, source, ": ", unknown_name("activation_function", class_name, known));
}

std::string activation_to_class(const std::string& activation) {
  for (const ActivationName& row : kActivationNames) {
    if (activation == row.activation) return row.class_name;
  }
  fail(Status::kArgument, unknown_name("activation", activation, dense_activations()));
}

}  // namespace contrastive::io
