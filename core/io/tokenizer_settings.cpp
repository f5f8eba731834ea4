#include "core/io/tokenizer_settings.h"

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"

namespace contrastive::io {
namespace {

constexpr const char* kRoles[] = {"pad_token", "unk_token", "cls_token", "sep_token", "mask_token", "bos_token", "eos_token"};

// The tokenizers of transformers 5 that give token types.
constexpr const char* kTyping[] = {"BertTokenizer",       "ElectraTokenizer",           "SqueezeBertTokenizer",
                                   "MobileBertTokenizer", "LayoutLMTokenizer",          "ConvBertTokenizer",
                                   "LxmertTokenizer",     "DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer",
                                   "DebertaTokenizer",    "DebertaV2Tokenizer"};

// And the families whose own tokenizers there give none.
constexpr std::string_view kTypeless[] = {"albert", "camembert", "gte", "modernbert", "mpnet", "roberta", "t5", "xlm-roberta"};

// A token is given as a string or as {"content": ..., "lstrip": ...}.
void read_roles(const JsonObject& object, TokenizerSettings& settings) {
  for (const std::string role : kRoles) {
    if (!object.has(role)) continue;
    const Json& value = object.at(role);
    settings.roles[role] = value.is_object() ? JsonObject(value, object.source() + ": " + role).string("content") : object.string(role);
  }
}

std::optional<bool> flag(const JsonObject& object, const std::string& key) {
  return object.has(key) ? std::optional<bool>(object.boolean(key, false)) : std::nullopt;
}

int64_t max_length(const JsonObject& object) {
  constexpr double kNone = 1e9;  // transformers writes 10^30 for "no limit"
  const double value = object.real("model_max_length", 0.0, 1e300, 0.0);
  return value < kNone ? static_cast<int64_t>(value) : 0;
}

bool gives_types(std::string name) {
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  return std::any_of(std::begin(kTyping), std::end(kTyping), [&](const char* other) { return name == other; });
}

void read_input_names(const JsonObject& config, TokenizerSettings& settings) {
  if (!config.has("model_input_names")) return;
  const Json& names = config.at("model_input_names");
  check(names.is_array(), Status::kFormat, config.source(), ": model_input_names must be a list of texts");
  settings.names_token_types = std::find(names.begin(), names.end(), "token_type_ids") != names.end();
}

// transformers asks config.json for the class where tokenizer_config.json names none: for a class, or for the one of its model_type.
void read_types_of_model(const std::string& folder, TokenizerSettings& settings) {
  const std::string path = folder + "/config.json";
  if (settings.names_token_types.has_value() || !settings.tokenizer_class.empty() || !path_exists(path)) return;
  const Json document = read_json_file(path);
  const JsonObject config(document, path);
  const std::string type = config.string("model_type", "");
  if (config.has("tokenizer_class")) {
    settings.names_token_types = gives_types(config.string("tokenizer_class"));
  } else if (std::find(std::begin(kTypeless), std::end(kTypeless), type) != std::end(kTypeless)) {
    settings.names_token_types = false;
  }
}

void read_added_tokens(const JsonObject& config, TokenizerSettings& settings) {
  if (!config.has("added_tokens_decoder")) return;
  const Json& tokens = config.at("added_tokens_decoder");
  check(tokens.is_object(), Status::kFormat, config.source(), ": added_tokens_decoder must be an object");
  for (const auto& [key, value] : tokens.items()) {
    char* end = nullptr;
    const long long id = std::strtoll(key.c_str(), &end, 10);
    check(!key.empty() && *end == '\0' && id >= 0 && id <= INT32_MAX, Status::kFormat, config.source(), ": added_tokens_decoder: '", key,
          "' is not an id");
    const JsonObject object(value, config.source() + ": added_tokens_decoder." + key);
    text::AddedToken token;
    token.content = object.string("content");
    token.id = static_cast<int32_t>(id);
    token.single_word = object.boolean("single_word", false);
    token.lstrip = object.boolean("lstrip", false);
    token.rstrip = object.boolean("rstrip", false);
    token.special = object.boolean("special", false);
    token.normalized = object.boolean("normalized", !token.special);
    settings.added_tokens.push_back(std::move(token));
  }
  std::sort(settings.added_tokens.begin(), settings.added_tokens.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

}  // namespace

TokenizerSettings read_tokenizer_settings(const std::string& folder) {
  TokenizerSettings settings;
  const std::string map_path = folder + "/special_tokens_map.json", config_path = folder + "/tokenizer_config.json";
  if (path_exists(map_path)) {
    const Json map = read_json_file(map_path);
    read_roles(JsonObject(map, map_path), settings);
  }
  if (!path_exists(config_path)) {
    read_types_of_model(folder, settings);
    return settings;
  }
  const Json document = read_json_file(config_path);
  const JsonObject config(document, config_path);
  read_roles(config, settings);
  settings.tokenizer_class = config.string("tokenizer_class", "");
  settings.model_max_length = max_length(config);
  read_input_names(config, settings);
  settings.do_lower_case = flag(config, "do_lower_case");
  settings.strip_accents = flag(config, "strip_accents");
  settings.tokenize_chinese_chars = flag(config, "tokenize_chinese_chars");
  settings.add_prefix_space = flag(config, "add_prefix_space");
  settings.keep_accents = flag(config, "keep_accents");
  settings.add_bos_token = flag(config, "add_bos_token");
  settings.add_eos_token = flag(config, "add_eos_token");
  settings.legacy = flag(config, "legacy");
  settings.extra_ids = config.integer("extra_ids", 0, 1 << 16, settings.extra_ids);
  read_added_tokens(config, settings);
  read_types_of_model(folder, settings);
  return settings;
}

bool passes_token_types(const TokenizerSettings& settings) {
  if (settings.names_token_types.has_value()) return *settings.names_token_types;
  return settings.tokenizer_class.empty() || gives_types(settings.tokenizer_class);
}

std::string role_token(const TokenizerSettings& settings, const std::string& role, const std::string& fallback) {
  const auto it = settings.roles.find(role);
  return it == settings.roles.end() ? fallback : it->second;
}

text::SpecialIds special_ids(const TokenizerSettings& settings, bool byte_level, const text::Vocabulary& vocabulary,
                             const std::vector<text::AddedToken>& added) {
  std::unordered_map<std::string_view, int32_t> ids_of;
  for (const text::AddedToken& token : added) ids_of.emplace(token.content, token.id);
  const auto id_of = [&](const std::string& token) {
    const auto it = ids_of.find(token);
    return it != ids_of.end() ? it->second : vocabulary.id(token);
  };
  // The token of the role, or of the one that stands in for it in decoders, else the first of the usual names that the vocabulary has.
  const auto find = [&](const char* role, const char* stand_in, std::vector<std::string> usual) {
    for (const char* name : {role, stand_in}) {
      const auto it = settings.roles.find(name);
      if (it != settings.roles.end()) return id_of(it->second);
    }
    if (byte_level) std::rotate(usual.begin(), usual.begin() + 1, usual.end());  // BERT's name comes first or last
    for (const std::string& name : usual) {
      if (const int32_t id = id_of(name); id >= 0) return id;
    }
    return -1;
  };
  text::SpecialIds ids;
  ids.pad = find("pad_token", "", {"[PAD]", "<pad>"});
  ids.unk = find("unk_token", "", {"[UNK]", "<unk>"});
  ids.cls = find("cls_token", "bos_token", {"[CLS]", "<s>", "<bos>"});
  ids.sep = find("sep_token", "eos_token", {"[SEP]", "</s>", "<eos>"});
  ids.mask = find("mask_token", "", {"[MASK]", "<mask>"});
  return ids;
}

}  // namespace contrastive::io
