#include "core/io/tokenizer_settings.h"

#include <algorithm>
#include <cstdlib>
#include <set>
#include <string_view>
#include <unordered_map>
#include <unordered_set>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/io/stated_keys.h"
#include "core/io/tokenizer_class.h"
#include "core/io/vocabulary_json.h"

namespace contrastive::io {
namespace {

// In the order in which transformers adds their tokens.
constexpr const char* kRoles[] = {"bos_token", "eos_token", "unk_token", "sep_token",
                                  "pad_token", "cls_token", "mask_token"};

// The tokenizers of transformers 5 that return token types.
constexpr const char* kTyping[] = {
    "BertTokenizer",       "ElectraTokenizer",           "SqueezeBertTokenizer",
    "MobileBertTokenizer", "LayoutLMTokenizer",          "ConvBertTokenizer",
    "LxmertTokenizer",     "DPRContextEncoderTokenizer", "DPRQuestionEncoderTokenizer",
    "DebertaTokenizer",    "DebertaV2Tokenizer"};

bool is_role(const std::string& key) {
  return std::find(std::begin(kRoles), std::end(kRoles), key) != std::end(kRoles);
}

// The place of a token for error messages: "tokenizer_config.json: cls_token".
std::string place_of(const JsonObject& object, const std::string& key) {
  return object.source() + ": " + key;
}

// A token is given as a string or as {"content": ..., "lstrip": ...}.
text::AddedToken token_of(const Json& value, const std::string& place, bool special) {
  if (value.is_object()) return read_added_token(JsonObject(value, place), special);
  check(value.is_string(), Status::kFormat, place,
        " must be a token: a text or an object with its content");
  return special_token(value.get<std::string>());
}

// Special tokens while the files are read: a later file replaces the value from an earlier one.
struct SpecialTokens {
  std::map<std::string, text::AddedToken> roles;  // of kRoles
  std::vector<std::pair<std::string, text::AddedToken>>
      named;  // of the model's own roles: image_token
  std::optional<std::vector<text::AddedToken>> extra,
      additional;  // extra_special_tokens, or its older name

  void name(const std::string& role, text::AddedToken token) {
    const auto same = std::find_if(named.begin(), named.end(),
                                   [&](const auto& item) { return item.first == role; });
    if (same == named.end()) named.emplace_back(role, std::move(token));
    else same->second = std::move(token);
  }
};

// A list of tokens, or an object with roles and tokens, which become additional roles of the model.
std::optional<std::vector<text::AddedToken>> read_extra(const JsonObject& object, const char* key,
                                                        bool special, SpecialTokens& tokens) {
  if (!object.has(key)) return std::nullopt;
  const Json& value = object.at(key);
  const std::string place = place_of(object, key);
  check(value.is_array() || value.is_object(), Status::kFormat, place,
        " must be a list of tokens or an object of roles and tokens");
  std::vector<text::AddedToken> list;
  for (const auto& [name, token] : value.items()) {
    text::AddedToken read = token_of(token, place, special);
    if (value.is_array()) list.push_back(std::move(read));
    else tokens.name(name, std::move(read));
  }
  if (value.is_object()) return std::nullopt;
  return list;
}

// `special`: the default for token objects in this file that do not say whether they are special.
void read_special_tokens(const Json& document, const JsonObject& object, bool special,
                         SpecialTokens& tokens) {
  for (const auto& [key, value] : document.items()) {
    if (value.is_null() || !ends_with(key, "_token") ||
        (!is_role(key) && !value.is_string() && !value.is_object()))
      continue;
    text::AddedToken token = token_of(value, place_of(object, key), true);
    token.special = true;
    if (is_role(key)) tokens.roles[key] = std::move(token);
    else tokens.name(key, std::move(token));
  }
  read_extra(object, "model_specific_special_tokens", special, tokens);  // an object of roles
  if (auto list = read_extra(object, "additional_special_tokens", special, tokens))
    tokens.additional = std::move(list);
  if (auto list = read_extra(object, "extra_special_tokens", special, tokens)) {
    if (tokens.extra) tokens.extra->insert(tokens.extra->end(), list->begin(), list->end());
    else tokens.extra = std::move(list);
  }
}

void keep_special_tokens(const SpecialTokens& tokens, TokenizerSettings& settings) {
  for (const char* role : kRoles) {
    const auto it = tokens.roles.find(role);
    if (it == tokens.roles.end()) continue;
    settings.roles[role] = it->second.content;
    settings.role_tokens.push_back(it->second);
  }
  for (const auto& item : tokens.named) settings.role_tokens.push_back(item.second);
  const bool old_name = tokens.additional && (!tokens.extra || tokens.extra->empty());
  const auto& extra = old_name ? tokens.additional : tokens.extra;
  settings.has_extra_tokens = extra.has_value();
  if (extra) settings.extra_tokens = *extra;
}

std::optional<bool> flag(const JsonObject& object, const std::string& key) {
  return object.has(key) ? std::optional<bool>(object.boolean(key, false)) : std::nullopt;
}

int64_t max_length(const JsonObject& object) {
  constexpr double kNone = 1e9;  // transformers writes 10^30 for "no limit"
  const double value =
      object.real(object.states("model_max_length") ? "model_max_length" : "max_len", 0.0, 1e300,
                  0.0);
  return value < kNone ? static_cast<int64_t>(value) : 0;
}

bool gives_types(std::string name) {
  if (ends_with(name, "Fast")) name.resize(name.size() - 4);
  return std::any_of(std::begin(kTyping), std::end(kTyping),
                     [&](const char* other) { return name == other; });
}

void read_input_names(const JsonObject& config, TokenizerSettings& settings) {
  if (!config.has("model_input_names")) return;
  const Json& names = config.at("model_input_names");
  check(names.is_array(), Status::kFormat, config.source(),
        ": model_input_names must be a list of texts");
  settings.names_token_types =
      std::find(names.begin(), names.end(), "token_type_ids") != names.end();
}

// If tokenizer_config.json names no class, transformers looks in config.json: for a class, or for
// the class of its model_type.
void read_model_config(const std::string& folder, TokenizerSettings& settings) {
  const std::string path = folder + "/config.json";
  std::string type, stated = settings.tokenizer_class;
  if (path_exists(path)) {
    const Json document = read_json_file(path);
    const JsonObject config(document, path);
    type = config.string("model_type", "");
    if (stated.empty()) stated = config.string("tokenizer_class", "");
  }
  settings.class_name = loaded_class(stated, type);
  settings.takes_json_as_it_is = type == kTakenAsItIs;
  if (settings.names_token_types.has_value()) return;
  if (settings.class_name !=
      loaded_class(stated, "")) {  // the model's own class, or the class without a model
    settings.names_token_types = gives_types(settings.class_name);
  } else if (settings.tokenizer_class.empty() && !stated.empty()) {
    settings.names_token_types = gives_types(stated);
  } else if (stated.empty() && type == "modernbert") {
    settings.names_token_types = false;
  }
}

void read_added_tokens_decoder(const JsonObject& config, TokenizerSettings& settings) {
  const Json& tokens = config.at("added_tokens_decoder");
  check(tokens.is_object(), Status::kFormat, config.source(),
        ": added_tokens_decoder must be an object");
  for (const auto& [key, value] : tokens.items()) {
    char* end = nullptr;
    const long long id = std::strtoll(key.c_str(), &end, 10);
    check(!key.empty() && *end == '\0' && id >= 0 && id <= INT32_MAX, Status::kFormat,
          config.source(), ": added_tokens_decoder: '", key, "' is not an id");
    const JsonObject object(value, config.source() + ": added_tokens_decoder." + key);
    text::AddedToken token = read_added_token(object);
    token.id = static_cast<int32_t>(id);
    settings.added_tokens.push_back(std::move(token));
  }
  settings.has_added_tokens_decoder = true;
}

// added_tokens.json of old folders: {"token": id}.
void read_added_tokens_json(const std::string& path, TokenizerSettings& settings) {
  std::unordered_set<std::string> special;
  for (const auto* tokens : {&settings.role_tokens, &settings.extra_tokens}) {
    for (const text::AddedToken& token : *tokens) special.insert(token.content);
  }
  for (const auto& [content, id] :
       parse_vocabulary_json(read_file(path, kMaxTokenizerBytes), path).vocabulary) {
    text::AddedToken token = special_token(content);
    token.id = id;
    token.special = special.count(content) != 0;
    token.normalized = !token.special;
    settings.added_tokens.push_back(std::move(token));
  }
}

// "left" or "right".
std::optional<bool> read_side(const JsonObject& config, const char* key) {
  if (!config.has(key)) return std::nullopt;
  const std::string side = config.string(key);
  check(side == "left" || side == "right", Status::kFormat, config.source(), ": ", key,
        " must be left or right, not '", side, "'");
  return side == "left";
}

// transformers reads the newest file of such a list instead of tokenizer.json.
void refuse_other_files(const JsonObject& config) {
  if (!config.has("fast_tokenizer_files")) return;
  for (const Json& name : config.at("fast_tokenizer_files")) {
    check(name == "tokenizer.json", Status::kUnsupported, config.source(),
          ": fast_tokenizer_files names ", dump_ascii(name),
          "; only tokenizer.json is read: rename the file to that, and remove the key");
  }
}

void read_config(const JsonObject& config, TokenizerSettings& settings) {
  refuse_other_files(config);
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
  settings.trim_offsets = flag(config, "trim_offsets");
  settings.extra_ids = config.integer("extra_ids", 0, 1 << 16, settings.extra_ids);
  settings.truncates_left = read_side(config, "truncation_side");
  settings.splits_special_tokens = config.boolean("split_special_tokens", false);
  if (config.has("added_tokens_decoder")) read_added_tokens_decoder(config, settings);
}

// A model may have its own roles: every key that ends in "_token" is one.
void note_unknown(const char* file, const Json& document, const std::string& path,
                  TokenizerSettings& settings) {
  std::set<std::string> roles;
  for (const auto& item : document.items()) {
    if (ends_with(item.key(), "_token")) roles.insert(item.key());
  }
  check_stated_keys(file, document, path, settings.notes, roles);
}

}  // namespace

TokenizerSettings read_tokenizer_settings(const std::string& folder) {
  TokenizerSettings settings;
  SpecialTokens special;
  const std::string config_path = folder + "/tokenizer_config.json";
  if (path_exists(config_path)) {
    const Json document = read_json_file(config_path);
    const JsonObject config(document, config_path);
    note_unknown("tokenizer_config.json", document, config_path, settings);
    read_config(config, settings);
    read_special_tokens(document, config, false, special);
  }
  // A folder with added_tokens_decoder has everything in tokenizer_config.json. In older folders
  // the other files have precedence.
  const std::string map_path = folder + "/special_tokens_map.json",
                    added_path = folder + "/added_tokens.json";
  if (!settings.has_added_tokens_decoder && path_exists(map_path)) {
    const Json document = read_json_file(map_path);
    note_unknown("special_tokens_map.json", document, map_path, settings);
    read_special_tokens(document, JsonObject(document, map_path), true, special);
  }
  keep_special_tokens(special, settings);
  if (!settings.has_added_tokens_decoder && path_exists(added_path))
    read_added_tokens_json(added_path, settings);
  std::sort(settings.added_tokens.begin(), settings.added_tokens.end(),
            [](const auto& a, const auto& b) { return a.id < b.id; });
  read_model_config(folder, settings);
  return settings;
}

text::AddedToken read_added_token(const JsonObject& object, bool special) {
  text::AddedToken token;
  token.content = object.string("content");
  token.single_word = object.boolean("single_word", false);
  token.lstrip = object.boolean("lstrip", false);
  token.rstrip = object.boolean("rstrip", false);
  token.special = object.boolean("special", special);
  token.normalized = object.boolean("normalized", !token.special);
  return token;
}

text::AddedToken special_token(const std::string& content, bool lstrip) {
  text::AddedToken token;
  token.content = content;
  token.special = true;
  token.lstrip = lstrip;
  return token;
}

bool passes_token_types(const TokenizerSettings& settings) {
  if (settings.names_token_types.has_value()) return *settings.names_token_types;
  return settings.tokenizer_class.empty() || gives_types(settings.tokenizer_class);
}

std::string role_token(const TokenizerSettings& settings, const std::string& role,
                       const std::string& fallback) {
  const auto it = settings.roles.find(role);
  return it == settings.roles.end() ? fallback : it->second;
}

text::SpecialIds special_ids(const TokenizerSettings& settings, bool byte_level,
                             const text::Vocabulary& vocabulary,
                             const std::vector<text::AddedToken>& added) {
  std::unordered_map<std::string_view, int32_t> ids_of;
  for (const text::AddedToken& token : added) ids_of.emplace(token.content, token.id);
  const auto id_of = [&](const std::string& token) {
    const auto it = ids_of.find(token);
    return it != ids_of.end() ? it->second : vocabulary.id(token);
  };
  // The token of the role, or of the role that replaces it in decoders, otherwise the first of the
  // usual names that is in the vocabulary.
  const auto find = [&](const char* role, const char* stand_in, std::vector<std::string> usual) {
    for (const char* name : {role, stand_in}) {
      const auto it = settings.roles.find(name);
      if (it != settings.roles.end()) return id_of(it->second);
    }
    if (byte_level)
      std::rotate(usual.begin(), usual.begin() + 1,
                  usual.end());  // BERT's name comes first or last
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
