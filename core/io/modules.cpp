#include "core/io/modules.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxWidth = 1 << 20;

// Old boolean key, today's name, our name; in the order in which sentence-transformers concatenates them.
struct PoolingName {
  const char* flag;
  const char* mode;
  const char* pooling;
};
constexpr PoolingName kPoolings[] = {
    {"pooling_mode_cls_token", "cls", "cls"},
    {"pooling_mode_max_tokens", "max", "max"},
    {"pooling_mode_mean_tokens", "mean", "mean"},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", "mean-sqrt"},
    {"pooling_mode_weightedmean_tokens", "weightedmean", "weightedmean"},
    {"pooling_mode_lasttoken", "lasttoken", "lasttoken"},
    {"pooling_mode_mean_last_2_tokens", "mean_last_2_tokens", "last2"},  // of ConSERT's fork
};

struct ActivationName {
  const char* class_name;
  const char* activation;
};
constexpr ActivationName kActivations[] = {{"torch.nn.modules.activation.Tanh", "tanh"},
                                           {"torch.nn.modules.activation.ReLU", "relu"},
                                           {"torch.nn.modules.linear.Identity", "identity"},
                                           {"torch.nn.modules.activation.GELU", "gelu"},
                                           {"torch.nn.modules.activation.Sigmoid", "sigmoid"}};

enum class Kind { kTransformer, kPooling, kDense, kNormalize };

// The classes moved between packages over the years; the last part of the name stayed. Nothing is imported or run.
Kind module_kind(const std::string& type, const std::string& source) {
  const std::string name = type.substr(type.rfind('.') + 1);
  if (type.rfind("sentence_transformers.", 0) == 0) {
    if (name == "Transformer" || name == "BERT" || name == "RoBERTa") return Kind::kTransformer;
    if (name == "Pooling") return Kind::kPooling;
    if (name == "Dense") return Kind::kDense;
    if (name == "Normalize") return Kind::kNormalize;
  }
  fail(Status::kUnsupported, source, ": the module type '", type.substr(0, 200),
       "' is not known, and no code of a checkpoint is ever run; known: sentence_transformers' Transformer, Pooling, Dense and Normalize");
}

// A module that reads or writes anything but the sentence embedding computes something else than its name says.
void check_features(const JsonObject& config) {
  for (const char* key : {"module_input_name", "module_output_name"}) {
    const std::string name = config.string(key, "sentence_embedding");
    check(name == "sentence_embedding", Status::kUnsupported, config.source(), ": ", key, " '", name.substr(0, 60), "' is not known; known: sentence_embedding");
  }
}

DenseConfig read_dense(const std::string& folder, std::vector<std::string>& notes) {
  const Json json = read_json_file(folder + "/config.json");
  const JsonObject config(json, folder + "/config.json");
  check_features(config);
  check(!config.boolean("use_residual", false), Status::kUnsupported, config.source(), ": use_residual is true; only plain Dense modules are read");
  DenseConfig dense;
  dense.folder = folder;
  dense.in_features = config.integer("in_features", 1, kMaxWidth);
  dense.out_features = config.integer("out_features", 1, kMaxWidth);
  dense.bias = config.boolean("bias", true);
  if (!config.has("activation_function")) notes.push_back(config.source() + " states no activation_function: Tanh is used, as sentence-transformers does");
  dense.activation = activation_from_class(config.string("activation_function", kActivations[0].class_name), config.source());
  return dense;
}

void read_normalize(const std::string& folder) {
  const std::string path = folder + "/config.json";
  if (!path_exists(path)) return;  // before version 5 the folder was empty
  const Json json = read_json_file(path);
  check_features(JsonObject(json, path));
}

}  // namespace

void read_pooling(const Json& json, const std::string& source, ModuleList& modules) {
  const JsonObject config(json, source);
  modules.include_prompt = config.boolean("include_prompt", true);
  const int64_t old_width = config.integer("word_embedding_dimension", 1, kMaxWidth, 0);
  modules.pooling_width = config.integer("embedding_dimension", 1, kMaxWidth, old_width);

  std::vector<std::string> known;
  for (const PoolingName& row : kPoolings) known.emplace_back(row.mode);
  const auto add_mode = [&](const Json& mode) {
    check(mode.is_string(), Status::kFormat, source, ": pooling_mode must be a name or a list of names");
    const std::string name = mode.get<std::string>();
    const auto row = std::find_if(std::begin(kPoolings), std::end(kPoolings), [&](const PoolingName& p) { return name == p.mode; });
    check(row != std::end(kPoolings), Status::kUnsupported, source, ": ", unknown_name("pooling_mode", name, known));
    modules.poolings.emplace_back(row->pooling);
  };
  if (config.has("pooling_mode")) {
    const Json& mode = config.at("pooling_mode");
    if (mode.is_array()) {
      for (const Json& item : mode) add_mode(item);
    } else {
      add_mode(mode);
    }
  } else {
    for (const PoolingName& row : kPoolings) {
      if (config.boolean(row.flag, false)) modules.poolings.emplace_back(row.pooling);
    }
    for (const auto& [key, value] : json.items()) {
      const bool flag = key.rfind("pooling_mode_", 0) == 0 && value == true;
      const bool listed = std::any_of(std::begin(kPoolings), std::end(kPoolings), [&, &name = key](const PoolingName& p) { return name == p.flag; });
      check(!flag || listed, Status::kUnsupported, source, ": ", key.substr(0, 100), " is on, and this pooling is not known");
    }
  }
  check(!modules.poolings.empty(), Status::kFormat, source, ": no pooling mode is on, so the folder does not say how sentences are embedded");
}

ModuleList read_modules(const std::string& folder, std::vector<std::string>& notes) {
  ModuleList modules;
  const std::string path = folder + "/modules.json";
  if (!path_exists(path)) {
    modules.transformer_folder = folder;
    notes.push_back("no modules.json: a plain Hugging Face folder, which states no pooling");
    return modules;
  }
  const Json json = read_json_file(path);
  check(json.is_array() && !json.empty() && json.size() <= 100, Status::kFormat, path, ": a list of 1 to 100 modules is needed");
  Kind previous = Kind::kTransformer;
  for (size_t i = 0; i < json.size(); ++i) {
    const JsonObject module(json[i], path + ": module " + std::to_string(i));
    const Kind kind = module_kind(module.string("type"), module.source());
    const std::string place = join_inside(folder, module.string("path", ""), module.source());
    check((i == 0) == (kind == Kind::kTransformer), Status::kFormat, module.source(), ": one Transformer is needed, as the first module");
    check(kind >= previous && (kind != Kind::kPooling || previous == Kind::kTransformer) && (kind != Kind::kDense || previous >= Kind::kPooling),
          Status::kUnsupported, module.source(), ": modules are read in the order Transformer, Pooling, Dense, Normalize only");
    previous = kind;
    switch (kind) {
      case Kind::kTransformer: modules.transformer_folder = place; break;
      case Kind::kPooling: read_pooling(read_json_file(place + "/config.json"), place + "/config.json", modules); break;
      case Kind::kDense: modules.dense.push_back(read_dense(place, notes)); break;
      case Kind::kNormalize:
        read_normalize(place);
        modules.normalize = true;
        break;
    }
  }
  if (modules.poolings.empty()) notes.push_back("modules.json has no Pooling module: the folder states no pooling");
  return modules;
}

SentenceConfig read_sentence_config(const std::string& transformer_folder) {
  SentenceConfig result;
  for (const char* name : {"bert", "roberta", "distilbert", "camembert", "albert", "xlm-roberta", "xlnet"}) {
    const std::string path = transformer_folder + "/sentence_" + name + "_config.json";
    if (!path_exists(path)) continue;
    const Json json = read_json_file(path);
    const JsonObject config(json, path);
    result.max_seq_length = config.integer("max_seq_length", 1, 1 << 24, 0);
    result.do_lower_case = config.boolean("do_lower_case", false);
    const std::string task = config.string("transformer_task", "feature-extraction");
    check(task == "feature-extraction", Status::kUnsupported, path, ": transformer_task '", task.substr(0, 60), "' is not known; known: feature-extraction");
    break;
  }
  return result;
}

PromptConfig read_prompt_config(const std::string& folder) {
  PromptConfig result;
  const std::string path = folder + "/config_sentence_transformers.json";
  if (!path_exists(path)) return result;
  const Json json = read_json_file(path);
  const JsonObject config(json, path);
  const std::string kind = config.string("model_type", "SentenceTransformer");
  check(kind == "SentenceTransformer", Status::kUnsupported, path, ": model_type '", kind.substr(0, 60), "' is not known; known: SentenceTransformer");
  if (config.has("prompts")) {
    const JsonObject prompts(config.at("prompts"), path + ": prompts");
    for (const auto& item : config.at("prompts").items()) result.prompts[item.key()] = prompts.string(item.key());
  }
  result.default_prompt_name = config.string("default_prompt_name", "");
  check(result.default_prompt_name.empty() || result.prompts.count(result.default_prompt_name) > 0, Status::kFormat, path, ": default_prompt_name '",
        result.default_prompt_name.substr(0, 100), "' is not among the prompts");
  std::string similarity = config.string("similarity_fn_name", "cosine");
  if (similarity == "dot_product") similarity = "dot";
  const std::vector<std::string> known = {"cosine", "dot", "euclidean", "manhattan"};
  check(std::find(known.begin(), known.end(), similarity) != known.end(), Status::kUnsupported, path, ": ",
        unknown_name("similarity_fn_name", similarity, known));
  result.similarity = similarity;
  return result;
}

std::string activation_from_class(const std::string& class_name, const std::string& source) {
  std::vector<std::string> known;
  for (const ActivationName& row : kActivations) {
    if (class_name == row.class_name) return row.activation;
    known.emplace_back(row.class_name);
  }
  fail(Status::kUnsupported, source, ": ", unknown_name("activation_function", class_name, known));
}

std::string activation_to_class(const std::string& activation) {
  std::vector<std::string> known;
  for (const ActivationName& row : kActivations) {
    if (activation == row.activation) return row.class_name;
    known.emplace_back(row.activation);
  }
  fail(Status::kArgument, unknown_name("activation", activation, known));
}

}  // namespace contrastive::io
