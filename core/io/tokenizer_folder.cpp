#include "core/io/tokenizer_folder.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/nearest.h"
#include "core/io/tokenizer_json.h"
#include "core/io/vocabulary_json.h"

namespace contrastive::io {
namespace {

// added_tokens.json of old folders: {"token": id}, where tokenizer_config.json does not say it better.
void read_added_tokens_json(const std::string& folder, const TokenizerSettings& settings, std::vector<text::AddedToken>& tokens) {
  const std::string path = folder + "/added_tokens.json";
  if (!tokens.empty() || !path_exists(path)) return;
  for (const auto& [content, id] : parse_vocabulary_json(read_file(path, kMaxTokenizerBytes), path).vocabulary) {
    const std::string& name = content;
    text::AddedToken token = special_token(name);
    token.id = id;
    token.special = std::any_of(settings.roles.begin(), settings.roles.end(), [&](const auto& role) { return role.second == name; });
    token.normalized = !token.special;
    tokens.push_back(std::move(token));
  }
  std::sort(tokens.begin(), tokens.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
}

}  // namespace

text::AddedToken special_token(const std::string& content, bool lstrip) {
  text::AddedToken token;
  token.content = content;
  token.special = true;
  token.lstrip = lstrip;
  return token;
}

std::string known_class(const TokenizerSettings& settings, const std::vector<std::string>& known, const std::string& folder) {
  std::string name = settings.tokenizer_class;
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  check(name.empty() || std::find(known.begin(), known.end(), name) != known.end(), Status::kUnsupported, folder,
        "/tokenizer_config.json: ", unknown_name("tokenizer_class", name, known));
  return name;
}

text::TokenizerParts read_parts(const std::string& folder, const std::string& source, text::TokenList tokens, const TokenizerSettings& settings,
                                const std::vector<std::string>& required, const text::AddedToken& mask) {
  text::TokenizerParts parts;
  parts.source = source;
  parts.vocabulary = std::make_shared<text::Vocabulary>(std::move(tokens), source);
  parts.added_tokens = settings.added_tokens;
  read_added_tokens_json(folder, settings, parts.added_tokens);
  std::unordered_set<std::string> there;
  for (const text::AddedToken& token : parts.added_tokens) there.insert(token.content);
  const auto add = [&](const text::AddedToken& token) {
    if (there.insert(token.content).second) parts.added_tokens.push_back(token);
  };
  for (const std::string& token : required) {
    check(parts.vocabulary->id(token) >= 0, Status::kFormat, source, ": none of its ", parts.vocabulary->count(), " tokens is ", token);
    add(special_token(token));
  }
  if (parts.vocabulary->id(mask.content) >= 0) add(mask);
  resolve_added_tokens(*parts.vocabulary, source, parts.added_tokens);
  parts.model_max_length = settings.model_max_length;
  parts.passes_types = passes_token_types(settings);
  parts.invalid_utf8 = settings.invalid_utf8;
  return parts;
}

}  // namespace contrastive::io
