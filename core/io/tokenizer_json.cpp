#include "core/io/tokenizer_json.h"

#include <algorithm>
#include <unordered_map>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/io/stated_keys.h"
#include "core/io/tokenizer_class.h"
#include "core/io/vocabulary_json.h"
#include "core/text/byte_bpe_tokenizer.h"
#include "core/text/character_bpe.h"
#include "core/text/normalizer_json.h"
#include "core/text/piece_tokenizer.h"
#include "core/text/pre_tokenizer_json.h"
#include "core/text/unigram.h"
#include "core/text/word_level.h"
#include "core/text/wordpiece_tokenizer.h"

namespace contrastive::io {
namespace {

using text::TemplatePart;

constexpr int64_t kMaxId = INT32_MAX;

std::vector<text::AddedToken> read_added_tokens(const JsonObject& root) {
  std::vector<text::AddedToken> tokens;
  if (!root.has("added_tokens")) return tokens;
  const Json& list = root.at("added_tokens");
  check(list.is_array(), Status::kFormat, root.source(), ": added_tokens must be a list");
  for (const Json& value : list) {
    const JsonObject object(value, cat(root.source(), ": added_tokens[", tokens.size(), "]"));
    text::AddedToken token = read_added_token(object);
    token.id = static_cast<int32_t>(object.integer("id", 0, kMaxId));
    tokens.push_back(std::move(token));
  }
  return tokens;
}

// The special tokens that a template may name: name -> ids.
std::map<std::string, std::vector<int32_t>> read_template_tokens(const JsonObject& object) {
  std::map<std::string, std::vector<int32_t>> tokens;
  if (!object.has("special_tokens")) return tokens;
  const Json& list = object.at("special_tokens");
  check(list.is_object(), Status::kFormat, object.source(), ": special_tokens must be an object");
  for (const auto& [name, value] : list.items()) {
    const JsonObject token(value, object.source() + ": special_tokens." + name);
    check(token.at("ids").is_array(), Status::kFormat, token.source(), ": ids must be a list");
    for (const Json& id : token.at("ids")) {
      check(id.is_number_integer() && id >= 0 && id <= kMaxId, Status::kFormat, token.source(),
            ": ids must be from 0 to ", kMaxId);
      tokens[name].push_back(id.get<int32_t>());
    }
  }
  return tokens;
}

std::vector<TemplatePart> read_template(const JsonObject& object, const std::string& key,
                                        const std::map<std::string, std::vector<int32_t>>& tokens) {
  const Json& list = object.at(key);
  const std::string source = object.source() + ": " + key;
  check(list.is_array(), Status::kFormat, source, " must be a list");
  std::vector<TemplatePart> parts;
  int firsts = 0, seconds = 0;
  for (const Json& value : list) {
    const JsonObject part(value, source);
    const bool is_text = part.has("Sequence");
    const JsonObject inner(part.at(is_text ? "Sequence" : "SpecialToken"), source);
    const std::string id = inner.string("id");
    const auto type_id = static_cast<int32_t>(inner.integer("type_id", 0, kMaxId, 0));
    if (is_text) {
      check(id == "A" || id == "B", Status::kFormat, source, ": a sequence is A or B, not '", id,
            "'");
      ++(id == "A" ? firsts : seconds);
      parts.push_back({id == "A" ? TemplatePart::kFirst : TemplatePart::kSecond, -1, type_id});
      continue;
    }
    const auto it = tokens.find(id);
    check(it != tokens.end(), Status::kFormat, source, " names the special token '", id,
          "', which special_tokens does not have");
    for (const int32_t token : it->second)
      parts.push_back({TemplatePart::kSpecial, token, type_id});
  }
  check(firsts == 1 && seconds == (key == "pair" ? 1 : 0), Status::kUnsupported, source,
        " must have each text once");
  return parts;
}

// ["[SEP]", 102]
int32_t named_id(const JsonObject& object, const char* key) {
  const Json& value = object.at(key);
  const bool is_pair = value.is_array() && value.size() == 2 && value[1].is_number_integer();
  check(is_pair && value[1] >= 0 && value[1] <= kMaxId, Status::kFormat, object.source(), ": ", key,
        " must be a token and its id");
  return value[1].get<int32_t>();
}

void set_trim(const JsonObject& object, text::PostProcessor& result) {
  if (!object.boolean("trim_offsets", true)) return;
  check(!result.trim_offsets, Status::kUnsupported, object.source(), " trims the offsets twice");
  result.trim_offsets = true;
  result.trim_keeps_prefix_space = object.boolean("add_prefix_space", true);
}

void read_post_processor(const Json& value, const std::string& source, bool& has_template,
                         text::PostProcessor& result) {
  const JsonObject object(value, source);
  const std::string type = object.string("type");
  if (type == "Sequence") {
    const Json& parts = object.at("processors");
    check(parts.is_array(), Status::kFormat, source, ": processors must be a list");
    for (size_t i = 0; i < parts.size(); ++i)
      read_post_processor(parts[i], cat(source, ".processors[", i, "]"), has_template, result);
    return;
  }
  if (type == "ByteLevel" || type == "RobertaProcessing") set_trim(object, result);
  if (type == "ByteLevel") return;
  check(!has_template, Status::kUnsupported, source, " adds special tokens twice");
  has_template = true;
  if (type == "TemplateProcessing") {
    const auto tokens = read_template_tokens(object);
    result.single = read_template(object, "single", tokens);
    result.pair = read_template(object, "pair", tokens);
  } else if (type == "BertProcessing" || type == "RobertaProcessing") {
    const auto made =
        type[0] == 'B'
            ? text::bert_post_processor(named_id(object, "cls"), named_id(object, "sep"))
            : text::roberta_post_processor(named_id(object, "cls"), named_id(object, "sep"));
    result.single = made.single;
    result.pair = made.pair;
  } else {
    fail(Status::kUnsupported, source, " is of type ", type,
         "; known are TemplateProcessing, BertProcessing, RobertaProcessing, ByteLevel and "
         "Sequence of these");
  }
}

using Made = std::shared_ptr<const text::Tokenizer>;

// The type of the pre-tokenizer if there is exactly one, otherwise "".
std::string single_pre_tokenizer(const JsonObject& root) {
  if (!root.has("pre_tokenizer")) return "";
  const std::string type =
      JsonObject(root.at("pre_tokenizer"), root.source() + ": pre_tokenizer").string("type");
  return type == "Sequence" ? "" : type;
}

// Whether ByteLevel is one of the pre-tokenizers.
bool is_byte_level(const Json& value) {
  if (!value.is_object() || !value.contains("type")) return false;
  if (value["type"] == "ByteLevel") return true;
  if (value["type"] != "Sequence" || !value.contains("pretokenizers") ||
      !value["pretokenizers"].is_array())
    return false;
  const Json& parts = value["pretokenizers"];
  return std::any_of(parts.begin(), parts.end(), is_byte_level);
}

Made make_pieces(const JsonObject& root, text::TokenizerParts parts,
                 std::shared_ptr<const text::PieceModel> model, std::string kind) {
  text::PieceTokenizer::Splitters splitters;
  if (root.has("pre_tokenizer"))
    splitters =
        text::read_pre_tokenizer(root.at("pre_tokenizer"), root.source() + ": pre_tokenizer");
  return std::make_shared<text::PieceTokenizer>(std::move(parts), std::move(splitters),
                                                std::move(model), std::move(kind));
}

Made make_wordpiece(const JsonObject& model, const JsonObject& root, text::TokenizerParts parts) {
  text::WordPieceOptions options;
  options.unknown_token = model.string("unk_token", options.unknown_token);
  options.continuing_prefix = model.string("continuing_subword_prefix", options.continuing_prefix);
  options.max_input_chars_per_word =
      model.integer("max_input_chars_per_word", 0, 1 << 20, options.max_input_chars_per_word);
  if (single_pre_tokenizer(root) == "BertPreTokenizer")
    return std::make_shared<text::WordPieceTokenizer>(std::move(parts), options);
  auto made = std::make_shared<text::WordPiece>(*parts.vocabulary, options, parts.source);
  return make_pieces(root, std::move(parts), std::move(made), "wordpiece");
}

Made make_word_level(const JsonObject& model, const JsonObject& root, text::TokenizerParts parts) {
  auto made = std::make_shared<text::WordLevel>(*parts.vocabulary,
                                                model.string("unk_token", "<unk>"), parts.source);
  return make_pieces(root, std::move(parts), std::move(made), "word-level");
}

Made make_unigram(const JsonObject& model, const JsonObject& root, std::vector<double> scores,
                  text::TokenizerParts parts) {
  text::UnigramOptions options;
  options.unknown = static_cast<int32_t>(model.integer("unk_id", 0, kMaxId, -1));
  options.byte_fallback = model.boolean("byte_fallback", false);
  auto made = std::make_shared<text::Unigram>(*parts.vocabulary, std::move(scores), options,
                                              model.source());
  return make_pieces(root, std::move(parts), std::move(made), "unigram");
}

// Refuses options of a BPE model that this library does not implement.
void check_bpe(const JsonObject& model) {
  check(model.real("dropout", 0.0, 1.0, 0.0) == 0.0, Status::kUnsupported, model.source(),
        ": dropout is not known here");
  for (const char* key : {"continuing_subword_prefix", "end_of_word_suffix"}) {
    check(model.string(key, "").empty(), Status::kUnsupported, model.source(), ": ", key,
          " is not known here");
  }
  // The items were taken out while the text was parsed. Without a list there were none, and all
  // words would be split into single bytes.
  check(model.at("merges").is_array(), Status::kFormat, model.source(), ": merges must be a list");
}

Made make_bpe(const JsonObject& model, const JsonObject& root, const MergeList& merges,
              text::TokenizerParts parts) {
  check_bpe(model);
  const bool falls_back = model.boolean("byte_fallback", false),
             ignores_merges = model.boolean("ignore_merges", false);
  if (single_pre_tokenizer(root) == "ByteLevel" && !falls_back && !ignores_merges) {
    const JsonObject split(root.at("pre_tokenizer"), root.source() + ": pre_tokenizer");
    text::ByteLevelOptions options;
    options.add_prefix_space = split.boolean("add_prefix_space", true);
    options.use_regex = split.boolean("use_regex", true);
    text::ByteBpeOptions model_options;
    model_options.unknown_token = model.string("unk_token", "");
    model_options.fuse_unknown = model.boolean("fuse_unk", false);
    return std::make_shared<text::ByteBpeTokenizer>(std::move(parts), merges, model_options,
                                                    options);
  }
  text::CharacterBpeOptions options;
  options.unknown_token = model.string("unk_token", "");
  options.byte_fallback = falls_back;
  options.fuse_unknown = model.boolean("fuse_unk", false);
  options.ignore_merges = ignores_merges;
  auto made =
      std::make_shared<text::CharacterBpe>(*parts.vocabulary, merges, options, parts.source);
  return make_pieces(root, std::move(parts), std::move(made),
                     root.has("pre_tokenizer") && is_byte_level(root.at("pre_tokenizer"))
                         ? "byte-bpe"
                         : "bpe");
}

// The token that the model names for unknown text, whatever it is called; -1 if it names none.
int32_t unknown_of(const JsonObject& model, const text::Vocabulary& vocabulary) {
  if (model.has("unk_token")) return vocabulary.id(model.string("unk_token"));
  const int64_t id = model.integer("unk_id", 0, kMaxId, -1);
  return id < vocabulary.size() ? static_cast<int32_t>(id) : -1;
}

// Files from before 2021 do not state the type of their model.
std::string model_type(const JsonObject& model, const VocabularyJson& json) {
  if (model.has("type")) return model.string("type");
  if (model.has("merges")) return "BPE";
  if (model.has("unk_id") || json.is_list) return "Unigram";
  return model.has("continuing_subword_prefix") || model.has("max_input_chars_per_word")
             ? "WordPiece"
             : "WordLevel";
}

// The id of an added token, otherwise of a token in the vocabulary; -1 for neither.
int32_t added_id(const std::string& content, const text::TokenizerParts& parts) {
  for (const text::AddedToken& token : parts.added_tokens) {
    if (token.content == content) return token.id;
  }
  return parts.vocabulary->id(content);
}

// Merges tokens with the same content: the flags of the last one, special if any was.
void merge_equal_tokens(std::vector<text::AddedToken>& tokens) {
  std::unordered_map<std::string, size_t> place;
  size_t count = 0;
  for (text::AddedToken& token : tokens) {
    const auto [it, is_new] = place.emplace(token.content, count);
    if (is_new) {
      if (&tokens[count] != &token) tokens[count] = std::move(token);
      ++count;
      continue;
    }
    token.special = token.special || tokens[it->second].special;
    tokens[it->second] = std::move(token);
  }
  tokens.resize(count);
}

// The limit that a plain tokenizers.Tokenizer applies, which tokenises for static tables; 0 for
// none.
int64_t stated_truncation(const JsonObject& root) {
  if (!root.has("truncation")) return 0;
  const JsonObject truncation(root.at("truncation"), root.source() + ": truncation");
  const std::string strategy = truncation.string("strategy", "LongestFirst");
  check(strategy == "LongestFirst" || strategy == "OnlyFirst", Status::kUnsupported,
        truncation.source(), ": strategy ", strategy,
        " cuts no single text; state LongestFirst, or null for truncation");
  return truncation.integer("max_length", 1, kMaxId);
}

bool truncates_left(const JsonObject& root) {
  if (!root.has("truncation")) return false;
  const JsonObject truncation(root.at("truncation"), root.source() + ": truncation");
  const std::string direction = truncation.string("direction", "Right");
  check(direction == "Left" || direction == "Right", Status::kFormat, truncation.source(),
        ": direction must be Left or Right, not '", direction, "'");
  return direction == "Left";
}

// For a part of tokenizer.json, and for the parts of a sequence.
void note_unknown_of_part(const char* part, const Json& value, const std::string& source,
                          std::vector<std::string>& notes) {
  check_stated_keys(cat("tokenizer.json: ", part), value, cat(source, ": ", part), notes);
  for (const char* list : {"normalizers", "pretokenizers", "processors"}) {
    if (!value.is_object() || !value.contains(list) || !value.at(list).is_array()) continue;
    for (const Json& item : value.at(list)) note_unknown_of_part(part, item, source, notes);
  }
}

void note_unknown(const Json& root, const std::string& source, std::vector<std::string>& notes) {
  check_stated_keys("tokenizer.json", root, source, notes);
  for (const char* part :
       {"model", "normalizer", "pre_tokenizer", "post_processor", "truncation"}) {
    if (root.contains(part)) note_unknown_of_part(part, root.at(part), source, notes);
  }
  if (!root.contains("added_tokens") || !root.at("added_tokens").is_array()) return;
  for (const Json& token : root.at("added_tokens"))
    check_stated_keys("tokenizer.json: added_tokens", token, source + ": added_tokens", notes);
}

}  // namespace

void apply_settings(const TokenizerSettings& settings, text::TokenizerParts& parts) {
  parts.model_max_length = settings.model_max_length;
  parts.passes_types = passes_token_types(settings);
  parts.truncates_left = settings.truncates_left.value_or(false);
  parts.splits_special_tokens = settings.splits_special_tokens;
  parts.invalid_utf8 = settings.invalid_utf8;
}

void resolve_added_tokens(const text::Vocabulary& vocabulary, const std::string& source,
                          std::vector<text::AddedToken>& tokens) {
  auto next = static_cast<int32_t>(vocabulary.count());
  std::unordered_map<std::string_view, int32_t> known;
  for (text::AddedToken& token : tokens) {
    check(!token.content.empty(), Status::kFormat, source, ": an added token is empty");
    const auto same = known.find(token.content);
    int32_t id = same != known.end() ? same->second : vocabulary.id(token.content);
    if (id < 0) id = next++;
    check(token.id < 0 || token.id == id, Status::kFormat, source, ": the added token '",
          token.content, "' states id ", token.id, ", but by the vocabulary it is ", id);
    token.id = id;
    known.emplace(token.content, id);
  }
}

Made tokenizer_from_json(std::string_view document, const std::string& source,
                         const TokenizerSettings& settings, std::vector<std::string>* notes) {
  VocabularyJson json = parse_tokenizer_json(document, source);
  const JsonObject root(json.rest, source);
  if (notes != nullptr) note_unknown(json.rest, source, *notes);
  const std::string type = model_type(JsonObject(root.at("model"), source + ": model"), json);
  check(type == "WordPiece" || type == "BPE" || type == "Unigram" || type == "WordLevel",
        Status::kUnsupported, source, ": model is of type ", type,
        "; known are BPE, Unigram, WordLevel and WordPiece");
  check(json.is_list == (type == "Unigram"), Status::kFormat, source, ": model: vocab must be ",
        type == "Unigram" ? "a list of tokens and scores" : "an object of tokens and ids");

  const TokenizerClass made_as(settings, type);
  made_as.rebuild(json.vocabulary, json.rest);
  const JsonObject model(root.at("model"), source + ": model");
  text::TokenizerParts parts;
  parts.source = source;
  parts.vocabulary = std::make_shared<text::Vocabulary>(std::move(json.vocabulary), source);
  parts.added_tokens = made_as.added_tokens(read_added_tokens(root), *parts.vocabulary);
  resolve_added_tokens(*parts.vocabulary, source, parts.added_tokens);
  merge_equal_tokens(parts.added_tokens);
  if (root.has("normalizer"))
    parts.stages = text::read_normalizer(root.at("normalizer"), source + ": normalizer");
  bool has_template = false;
  if (root.has("post_processor"))
    read_post_processor(root.at("post_processor"), source + ": post_processor", has_template,
                        parts.post_processor);
  made_as.rebuild_template(
      has_template, [&](const std::string& token) { return added_id(token, parts); },
      parts.post_processor);
  if (!settings.special_tokens) {
    parts.post_processor.single = text::PostProcessor().single;
    parts.post_processor.pair = text::PostProcessor().pair;
  }
  parts.special_ids =
      special_ids(settings, type != "WordPiece", *parts.vocabulary, parts.added_tokens);
  const int32_t unknown = unknown_of(model, *parts.vocabulary);
  if (unknown >= 0 && settings.roles.count("unk_token") == 0) parts.special_ids.unk = unknown;
  apply_settings(settings, parts);
  if (!settings.truncates_left) parts.truncates_left = truncates_left(root);
  if (!settings.special_tokens) parts.model_max_length = stated_truncation(root);
  if (type == "BPE") return make_bpe(model, root, json.merges, std::move(parts));
  if (type == "Unigram") return make_unigram(model, root, std::move(json.scores), std::move(parts));
  return type == "WordPiece" ? make_wordpiece(model, root, std::move(parts))
                             : make_word_level(model, root, std::move(parts));
}

}  // namespace contrastive::io
