#include "core/io/tokenizer_class.h"

#include <algorithm>
#include <map>
#include <unordered_set>

#include "core/base/affixes.h"
#include "core/base/error.h"

namespace contrastive::io {
namespace {

// Other names of classes, as transformers/models/auto/tokenization_auto.py resolves them.
constexpr const char* kAliases[][2] = {{"DistilBertTokenizer", "BertTokenizer"},
                                       {"ElectraTokenizer", "BertTokenizer"},
                                       {"SqueezeBertTokenizer", "BertTokenizer"},
                                       {"MobileBertTokenizer", "BertTokenizer"},
                                       {"LayoutLMTokenizer", "BertTokenizer"},
                                       {"ConvBertTokenizer", "BertTokenizer"},
                                       {"LxmertTokenizer", "BertTokenizer"},
                                       {"DPRContextEncoderTokenizer", "BertTokenizer"},
                                       {"DPRQuestionEncoderTokenizer", "BertTokenizer"},
                                       {"BartTokenizer", "RobertaTokenizer"},
                                       {"LongformerTokenizer", "RobertaTokenizer"}};

// Other classes that rebuild the tokenizer, which are not supported; "Tokenizer" is appended to
// each.
constexpr const char* kUnread[] = {
    "Barthez",   "BigBird",  "Blenderbot", "CLIP",       "CodeLlama",  "Cohere",   "Deberta",
    "DebertaV2", "Esmc",     "FNet",       "Funnel",     "GPT2",       "GPTNeoX",  "Herbert",
    "LED",       "Lasr",     "LayoutLMv2", "LayoutLMv3", "LayoutXLM",  "Llama",    "Luke",
    "MBart50",   "MBart",    "MLuke",      "MarkupLM",   "Mvp",        "Nllb",     "Nougat",
    "OpenAIGPT", "Pegasus",  "Qwen3_5",    "Reformer",   "RemBert",    "RoFormer", "SeamlessM4T",
    "Siglip2",   "Splinter", "Tipsv2",     "Udop",       "VideoPrism", "Whisper",  "XGLM",
    "XLNet"};

// The class of a model_type, for the models that this library reads.
constexpr const char* kOfModels[][2] = {{"bert", "BertTokenizer"},
                                        {"distilbert", "BertTokenizer"},
                                        {"electra", "BertTokenizer"},
                                        {"ernie", "BertTokenizer"},
                                        {"nomic_bert", "BertTokenizer"},
                                        {"roberta", "RobertaTokenizer"},
                                        {"xlm-roberta", "XLMRobertaTokenizer"},
                                        {"gte", "XLMRobertaTokenizer"},
                                        {"camembert", "CamembertTokenizer"},
                                        {"mpnet", "MPNetTokenizer"},
                                        {"albert", "AlbertTokenizer"},
                                        {"t5", "T5Tokenizer"},
                                        {"qwen3", "Qwen2Tokenizer"},
                                        {"gemma3", "GemmaTokenizer"},
                                        {"gemma3_text", "GemmaTokenizer"}};

constexpr const char* kQwenSplit =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";

const char* find(const char* const (*begin)[2], const char* const (*end)[2],
                 const std::string& name) {
  const auto* found = std::find_if(begin, end, [&](const auto& row) { return name == row[0]; });
  return found == end ? nullptr : (*found)[1];
}

Json typed(const char* type) {
  Json part;
  part["type"] = type;
  return part;
}

Json replacement(const char* from, const char* to) {
  Json part = typed("Replace");
  part["pattern"]["String"] = from;
  part["content"] = to;
  return part;
}

Json sequence(const char* key, std::vector<Json> parts) {
  Json result = typed("Sequence");
  result[key] = Json::array();
  for (Json& part : parts) result[key].push_back(std::move(part));
  return result;
}

Json byte_level(bool add_prefix_space, bool use_regex) {
  Json part = typed("ByteLevel");
  part["add_prefix_space"] = add_prefix_space;
  part["use_regex"] = use_regex;
  return part;
}

Json words_with_metaspace(bool add_prefix_space) {
  Json metaspace = typed("Metaspace");
  metaspace["replacement"] = "\u2581";
  metaspace["prepend_scheme"] = add_prefix_space ? "always" : "never";
  return sequence("pretokenizers", {typed("WhitespaceSplit"), std::move(metaspace)});
}

// The first character map of a normalizer; null if it has none.
Json charsmap_of(const Json& root) {
  if (!root.contains("normalizer") || !root["normalizer"].is_object()) return {};
  const Json& normalizer = root["normalizer"];
  const bool is_list = normalizer.contains("normalizers") && normalizer["normalizers"].is_array();
  const Json parts = is_list ? normalizer["normalizers"] : Json::array({normalizer});
  const auto is_map = [](const Json& part) {
    return part.is_object() && part.contains("type") && part["type"] == "Precompiled";
  };
  const auto found = std::find_if(parts.begin(), parts.end(), is_map);
  return found == parts.end() ? Json() : *found;
}

Json bert_normalizer(const TokenizerSettings& settings) {
  Json part = typed("BertNormalizer");
  part["clean_text"] = true;
  part["handle_chinese_chars"] = settings.tokenize_chinese_chars.value_or(true);
  part["strip_accents"] = settings.strip_accents ? Json(*settings.strip_accents) : Json();
  part["lowercase"] = settings.do_lower_case.value_or(true);
  return part;
}

Json albert_normalizer(const TokenizerSettings& settings, const Json& charsmap) {
  std::vector<Json> parts = {replacement("``", "\""), replacement("''", "\"")};
  if (!settings.keep_accents.value_or(false)) {
    parts.push_back(typed("NFKD"));
    parts.push_back(typed("StripAccents"));
  }
  if (settings.do_lower_case.value_or(true)) parts.push_back(typed("Lowercase"));
  if (!charsmap.is_null()) parts.push_back(charsmap);
  return sequence("normalizers", std::move(parts));
}

using Roles = std::map<std::string, std::string>;

const Roles kBertRoles = {{"unk_token", "[UNK]"},
                          {"sep_token", "[SEP]"},
                          {"pad_token", "[PAD]"},
                          {"cls_token", "[CLS]"},
                          {"mask_token", "[MASK]"}};
const Roles kRobertaRoles = {{"bos_token", "<s>"},    {"eos_token", "</s>"},
                             {"unk_token", "<unk>"},  {"sep_token", "</s>"},
                             {"pad_token", "<pad>"},  {"cls_token", "<s>"},
                             {"mask_token", "<mask>"}};

Roles changed(Roles roles, const Roles& changes) {
  for (const auto& [role, token] : changes) roles[role] = token;
  return roles;
}

std::vector<std::string> sentinels(int64_t count) {
  std::vector<std::string> tokens;
  for (int64_t i = 0; i < count; ++i) tokens.push_back(cat("<extra_id_", i, ">"));
  return tokens;
}

}  // namespace

struct TokenizerClass::Entry {
  enum Kind { kBert, kMpnet, kRoberta, kXlmRoberta, kCamembert, kAlbert, kT5, kGemma, kQwen2 } kind;
  const char* name;
  const char* model;
  Roles roles;               // of tokens that no file has to state
  bool mask_strips = false;  // whether a mask token includes the white space before it
};

const std::vector<TokenizerClass::Entry>& TokenizerClass::entries() {
  static const std::vector<Entry> list = {
      {Entry::kBert, "BertTokenizer", "WordPiece", kBertRoles},
      {Entry::kMpnet, "MPNetTokenizer", "WordPiece",
       changed(kRobertaRoles, {{"unk_token", "[UNK]"}}), true},
      {Entry::kRoberta, "RobertaTokenizer", "BPE", kRobertaRoles},
      {Entry::kXlmRoberta, "XLMRobertaTokenizer", "Unigram", kRobertaRoles},
      {Entry::kCamembert, "CamembertTokenizer", "Unigram", kRobertaRoles, true},
      {Entry::kAlbert, "AlbertTokenizer", "Unigram",
       changed(kBertRoles, {{"bos_token", "[CLS]"},
                            {"eos_token", "[SEP]"},
                            {"unk_token", "<unk>"},
                            {"pad_token", "<pad>"}})},
      {Entry::kT5,
       "T5Tokenizer",
       "Unigram",
       {{"eos_token", "</s>"}, {"unk_token", "<unk>"}, {"pad_token", "<pad>"}}},
      {Entry::kGemma,
       "GemmaTokenizer",
       "BPE",
       {{"bos_token", "<bos>"},
        {"eos_token", "<eos>"},
        {"unk_token", "<unk>"},
        {"pad_token", "<pad>"},
        {"mask_token", "<mask>"}}},
      {Entry::kQwen2,
       "Qwen2Tokenizer",
       "BPE",
       {{"eos_token", "<|endoftext|>"},
        {"unk_token", "<|endoftext|>"},
        {"pad_token", "<|endoftext|>"}}},
  };
  return list;
}

std::string loaded_class(std::string stated, const std::string& model_type) {
  if (model_type == kTakenAsItIs) return "";
  if (ends_with(stated, "Fast")) stated.resize(stated.size() - 4);
  const char* of_model = find(std::begin(kOfModels), std::end(kOfModels), model_type);
  if (stated.empty() && of_model != nullptr) return of_model;
  const char* other = find(std::begin(kAliases), std::end(kAliases), stated);
  if (other != nullptr) stated = other;
  const auto& entries = TokenizerClass::entries();
  const bool known = std::any_of(entries.begin(), entries.end(),
                                 [&](const auto& entry) { return stated == entry.name; });
  return known ? stated : "";
}

void refuse_unread_class(const TokenizerSettings& settings, const std::string& source) {
  std::string name = settings.tokenizer_class;
  if (!settings.class_name.empty() || settings.takes_json_as_it_is) return;
  if (ends_with(name, "Fast")) name.resize(name.size() - 4);
  const bool unread = std::any_of(std::begin(kUnread), std::end(kUnread), [&](const char* known) {
    return name == cat(known, "Tokenizer");
  });
  check(!unread, Status::kUnsupported, source, ": tokenizer_class ", name,
        " builds its own tokenizer from the vocabulary, which is not read; ",
        "state PreTrainedTokenizerFast to take tokenizer.json as it is");
}

TokenizerClass::TokenizerClass(const TokenizerSettings& settings, const std::string& model)
    : settings_(settings) {
  for (const Entry& entry : entries()) {
    if (settings.class_name == entry.name && model == entry.model) entry_ = &entry;
  }
}

std::string TokenizerClass::role(const char* name) const {
  const auto it = entry_->roles.find(name);
  return role_token(settings_, name, it == entry_->roles.end() ? "" : it->second);
}

void TokenizerClass::rebuild(const text::TokenList& vocabulary, Json& root) const {
  if (entry_ == nullptr) return;
  const Json charsmap = charsmap_of(root);
  Json model = typed(entry_->model);
  if (root["model"].contains("merges")) model["merges"] = std::move(root["model"]["merges"]);
  Json normalizer, split;
  switch (entry_->kind) {
    case Entry::kBert:
    case Entry::kMpnet:
      normalizer = bert_normalizer(settings_);
      split = typed("BertPreTokenizer");
      model["unk_token"] = role("unk_token");
      break;
    case Entry::kRoberta:
      split = byte_level(settings_.add_prefix_space.value_or(false), true);
      break;
    case Entry::kQwen2: {
      normalizer = typed("NFC");
      Json words = typed("Split");
      words["pattern"]["Regex"] = kQwenSplit;
      words["behavior"] = "Isolated";
      split = sequence("pretokenizers",
                       {std::move(words),
                        byte_level(settings_.add_prefix_space.value_or(false), false)});
      break;
    }
    case Entry::kGemma:
      normalizer = replacement(" ", "\u2581");
      split = typed("Split");
      split["pattern"]["String"] = " ";
      split["behavior"] = "MergedWithPrevious";
      model["unk_token"] = role("unk_token");
      model["fuse_unk"] = model["byte_fallback"] = true;
      break;
    case Entry::kXlmRoberta:
    case Entry::kCamembert:
    case Entry::kT5:
      normalizer = charsmap;
      split = words_with_metaspace(entry_->kind == Entry::kT5 ||
                                   settings_.add_prefix_space.value_or(true));
      break;
    case Entry::kAlbert:
      normalizer = albert_normalizer(settings_, charsmap);
      split = words_with_metaspace(settings_.add_prefix_space.value_or(true));
      break;
  }
  if (entry_->kind == Entry::kXlmRoberta) model["unk_id"] = 3;
  if (entry_->kind == Entry::kT5) model["unk_id"] = 2;
  if (entry_->kind == Entry::kAlbert) model["unk_id"] = 1;
  if (entry_->kind == Entry::kCamembert) {
    const std::string unknown = role("unk_token");
    const auto found = std::find_if(vocabulary.begin(), vocabulary.end(),
                                    [&](const auto& token) { return token.first == unknown; });
    model["unk_id"] = found == vocabulary.end() ? 0 : found->second;
  }
  root["normalizer"] = std::move(normalizer);
  root["pre_tokenizer"] = std::move(split);
  root["model"] = std::move(model);
}

std::vector<std::pair<text::AddedToken, bool>> TokenizerClass::special_tokens() const {
  std::vector<std::pair<text::AddedToken, bool>> tokens;
  const std::vector<std::string> ends = template_tokens(false);
  for (const char* name : {"bos_token", "eos_token", "unk_token", "sep_token", "pad_token",
                           "cls_token", "mask_token"}) {
    const std::string content = rebuilds() ? role(name) : role_token(settings_, name, "");
    if (content.empty()) continue;
    const auto& stated = settings_.role_tokens;
    const auto found = std::find_if(stated.begin(), stated.end(),
                                    [&](const auto& token) { return token.content == content; });
    text::AddedToken token = found != stated.end() ? *found : special_token(content);
    if (rebuilds() && entry_->mask_strips && std::string_view(name) == "mask_token")
      token.lstrip = true;
    tokens.emplace_back(std::move(token),
                        found != stated.end() ||
                            std::find(ends.begin(), ends.end(), content) != ends.end());
  }
  for (const text::AddedToken& token : settings_.role_tokens) tokens.emplace_back(token, true);
  std::vector<std::string> own;
  if (rebuilds() && !settings_.has_extra_tokens && entry_->kind == Entry::kCamembert)
    own = {"<s>NOTUSED", "</s>NOTUSED", "<unk>NOTUSED"};
  if (rebuilds() && !settings_.has_extra_tokens && entry_->kind == Entry::kT5)
    own = sentinels(settings_.extra_ids);
  for (const std::string& token : own) tokens.emplace_back(special_token(token), false);
  for (const text::AddedToken& token : settings_.extra_tokens) tokens.emplace_back(token, true);
  return tokens;
}

std::vector<text::AddedToken> TokenizerClass::added_tokens(
    const std::vector<text::AddedToken>& of_json, const text::Vocabulary& vocabulary) const {
  std::map<int32_t, text::AddedToken> by_id;
  for (const text::AddedToken& token : settings_.added_tokens) by_id[token.id] = token;
  if (!settings_.has_added_tokens_decoder) {
    for (const text::AddedToken& token : of_json) by_id[token.id] = token;
  }
  std::vector<text::AddedToken> tokens;
  if (!rebuilds()) tokens = of_json;
  for (auto& item : by_id) tokens.push_back(std::move(item.second));
  std::unordered_set<std::string> there;
  for (const text::AddedToken& token : tokens) there.insert(token.content);
  // Tokens that the vocabulary lacks get the next ids. If only the class names tokens at the end of
  // this list, they are omitted: the model has no rows for them.
  size_t needed = tokens.size();
  std::vector<size_t> spare;
  const auto special = special_tokens();
  for (const auto& [token, wanted] : special) {
    if (!there.insert(token.content).second) continue;
    tokens.push_back(token);
    if (vocabulary.id(token.content) >= 0) continue;
    if (wanted) needed = tokens.size();
    else spare.push_back(tokens.size() - 1);
  }
  for (; !spare.empty() && spare.back() >= needed; spare.pop_back())
    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(spare.back()));
  if (rebuilds() && entry_->kind == Entry::kQwen2) {  // it makes all of them plain special tokens,
                                                      // whatever a file says about them
    for (text::AddedToken& token : tokens) {
      const auto same = [&](const auto& item) { return item.first.content == token.content; };
      if (std::none_of(special.begin(), special.end(), same)) continue;
      const int32_t id = token.id;
      token = special_token(token.content);
      token.id = id;
    }
  }
  return tokens;
}

std::vector<std::string> TokenizerClass::template_tokens(bool stated) const {
  if (entry_ == nullptr) return {};
  switch (entry_->kind) {
    case Entry::kBert:
    case Entry::kMpnet:
    case Entry::kRoberta: return {role("cls_token"), role("sep_token")};
    case Entry::kXlmRoberta:
    case Entry::kCamembert: return {role("bos_token"), role("eos_token")};
    case Entry::kT5: return {role("eos_token")};
    case Entry::kAlbert:
      return stated ? std::vector<std::string>()
                    : std::vector<std::string>{role("cls_token"), role("sep_token")};
    case Entry::kGemma:
    case Entry::kQwen2: return {};
  }
  return {};
}

text::PostProcessor TokenizerClass::make_template(int32_t opening, int32_t closing) const {
  if (entry_->kind == Entry::kBert || entry_->kind == Entry::kAlbert)
    return text::bert_post_processor(opening, closing);
  if (entry_->kind == Entry::kT5) return text::t5_post_processor(closing);
  text::PostProcessor result = text::roberta_post_processor(opening, closing);
  const bool roberta = entry_->kind == Entry::kRoberta;
  result.trim_offsets =
      roberta ? settings_.trim_offsets.value_or(true) : entry_->kind == Entry::kMpnet;
  result.trim_keeps_prefix_space = roberta && settings_.add_prefix_space.value_or(false);
  return result;
}

}  // namespace contrastive::io
