#include "core/io/pruned_tokenizer.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <set>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/io/vocabulary_json.h"

namespace contrastive::io {
namespace {

// model2vec's token_remove_pattern \[unused\d+\], which must match at the beginning.
bool is_unused(const std::string& token) {
  const std::string kBegin = "[unused";
  if (!begins_with(token, kBegin)) return false;
  size_t at = kBegin.size();
  while (at < token.size() && std::isdigit(static_cast<unsigned char>(token[at])) != 0) ++at;
  return at > kBegin.size() && at < token.size() && token[at] == ']';
}

std::string json_text(const std::string& token) { return Json(token).dump(); }

// A JSON document with some values that would be slow as Json objects: they are inserted into its
// text.
class LongDocument {
 public:
  explicit LongDocument(Json& document) : document_(document) {}
  // Sets `member`, which is in the document, to `text`. Until text() it is a placeholder that
  // occurs nowhere else in the document.
  void set(Json& member, std::string text) {
    member = nullptr;
    const std::string before = document_.dump();
    std::string mark = "here";
    while (before.find(json_text(mark)) != std::string::npos) mark += '.';
    member = mark;
    values_.emplace_back(json_text(mark), std::move(text));
  }
  std::string text() const {
    std::string text = document_.dump();
    std::map<size_t, std::pair<size_t, const std::string*>>
        places;  // of the placeholders, with their lengths
    for (const auto& [mark, value] : values_)
      places.emplace(text.find(mark), std::pair(mark.size(), &value));
    // Begin with the last one: a value may contain the text of a placeholder.
    for (auto place = places.rbegin(); place != places.rend(); ++place)
      text.replace(place->first, place->second.first, *place->second.second);
    return text;
  }

 private:
  Json& document_;
  std::vector<std::pair<std::string, std::string>> values_;
};

}  // namespace

PrunedTokenizer prune_tokenizer(std::string_view document, const std::string& source,
                                const text::Tokenizer& tokenizer, bool drop_unused) {
  VocabularyJson json = parse_tokenizer_json(document, source);
  std::set<std::string> keeps, gone;
  for (const int32_t id : {tokenizer.special_ids().pad, tokenizer.special_ids().unk}) {
    if (id >= 0) keeps.insert(tokenizer.token(id));
  }
  // The model's own fallback token, which tokenizer_config.json may call otherwise.
  const JsonObject model_json(json.rest.at("model"), source + ": model");
  if (model_json.has("unk_token")) keeps.insert(model_json.string("unk_token"));
  if (const int64_t id = model_json.integer("unk_id", 0, INT32_MAX, -1);
      id >= 0 && id < static_cast<int64_t>(json.vocabulary.size()))
    keeps.insert(json.vocabulary[static_cast<size_t>(id)].first);
  Json added = Json::array();
  std::vector<std::pair<std::string, int32_t>> all(json.vocabulary.begin(), json.vocabulary.end());
  if (json.rest.contains("added_tokens")) {
    for (const Json& token : json.rest["added_tokens"]) {
      const JsonObject object(token, source + ": added_tokens");
      const std::string content = object.string("content");
      if (keeps.count(content) == 0) gone.insert(content);
      else added.push_back(token);
    }
  }
  std::vector<std::pair<int32_t, size_t>> order;  // sorted by the old ids
  for (size_t i = 0; i < all.size(); ++i) {
    if (drop_unused && is_unused(all[i].first)) gone.insert(all[i].first);
    if (gone.count(all[i].first) == 0) order.emplace_back(all[i].second, i);
  }
  std::sort(order.begin(), order.end());
  check(!order.empty(), Status::kFormat, source, ": no token is left of the vocabulary");
  PrunedTokenizer pruned;
  std::map<std::string, int32_t> ids;
  std::string vocabulary = json.is_list ? "[" : "{";
  for (const auto& [old, place] : order) {
    const auto id = static_cast<int32_t>(pruned.kept.size());
    const std::string& token = all[place].first;
    if (id > 0) vocabulary += ',';
    vocabulary += json.is_list
                      ? '[' + json_text(token) + ',' + Json(json.scores.at(place)).dump() + ']'
                      : json_text(token) + ':' + std::to_string(id);
    ids.emplace(token, id);
    pruned.kept.push_back(old);
  }
  vocabulary += json.is_list ? ']' : '}';
  for (Json& token : added) {  // tokens that are not in the vocabulary follow it
    const std::string content = token["content"].get<std::string>();
    auto found = ids.find(content);
    if (found == ids.end()) {
      found = ids.emplace(content, static_cast<int32_t>(pruned.kept.size())).first;
      pruned.kept.push_back(tokenizer.id(content));
    }
    token["id"] = found->second;
  }
  for (const char* key : {"truncation", "padding", "post_processor"}) json.rest[key] = nullptr;
  json.rest["added_tokens"] = std::move(added);
  Json& model = json.rest["model"];  // no key may be added to the document after this, because that
                                     // would move the model
  if (json.is_list && model.contains("unk_id") && model["unk_id"].is_number_integer()) {
    const int64_t unknown = model["unk_id"].get<int64_t>();
    const auto now =
        std::find(pruned.kept.begin(), pruned.kept.end(), static_cast<int32_t>(unknown));
    model["unk_id"] = now == pruned.kept.end() ? Json() : Json(now - pruned.kept.begin());
  }
  std::string merges = "[";
  for (const auto& [first, second] : json.merges) {
    for (const std::string& part : {first, second, first + second}) {
      check(gone.count(part) == 0, Status::kUnsupported, source, ": the merge of '", first,
            "' and '", second, "' needs a token that is left out");
    }
    merges +=
        (merges.size() > 1 ? "," : "") + ('[' + json_text(first) + ',' + json_text(second) + ']');
  }
  merges += ']';
  LongDocument text(json.rest);
  text.set(model["vocab"], std::move(vocabulary));
  if (model.contains("merges")) text.set(model["merges"], std::move(merges));
  pruned.document = text.text();
  return pruned;
}

}  // namespace contrastive::io
