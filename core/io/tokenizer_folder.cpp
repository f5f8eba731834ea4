#include "core/io/tokenizer_folder.h"

#include <algorithm>
#include <unordered_set>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/io/tokenizer_json.h"

namespace contrastive::io {

std::string known_class(const TokenizerSettings& settings, const std::vector<std::string>& known,
                        const std::string& folder) {
  std::string name = settings.tokenizer_class;
  if (name.size() > 4 && name.substr(name.size() - 4) == "Fast") name.resize(name.size() - 4);
  check(name.empty() || std::find(known.begin(), known.end(), name) != known.end(),
        Status::kUnsupported, folder,
        "/tokenizer_config.json: ", unknown_name("tokenizer_class", name, known));
  return name;
}

text::TokenizerParts read_parts(const std::string& source, text::TokenList tokens,
                                const TokenizerSettings& settings,
                                const std::vector<std::string>& required,
                                const std::vector<text::AddedToken>& optional) {
  text::TokenizerParts parts;
  parts.source = source;
  parts.vocabulary = std::make_shared<text::Vocabulary>(std::move(tokens), source);
  parts.added_tokens = settings.added_tokens;
  std::unordered_set<std::string> there;
  for (const text::AddedToken& token : parts.added_tokens) there.insert(token.content);
  const auto add = [&](const text::AddedToken& token) {
    if (there.insert(token.content).second) parts.added_tokens.push_back(token);
  };
  const auto add_role = [&](const text::AddedToken& token) {  // as a file describes it, if any does
    const auto& stated = settings.role_tokens;
    const auto found = std::find_if(stated.begin(), stated.end(), [&](const auto& other) {
      return other.content == token.content;
    });
    const bool plain = found == stated.end() || (!found->lstrip && !found->rstrip &&
                                                 !found->single_word && !found->normalized);
    add(plain ? token : *found);
  };
  for (const std::string& token : required) {
    check(parts.vocabulary->id(token) >= 0, Status::kFormat, source, ": none of its ",
          parts.vocabulary->count(), " tokens is ", token);
    add_role(special_token(token));
  }
  for (const text::AddedToken& token : optional) {
    if (parts.vocabulary->id(token.content) >= 0) add_role(token);
  }
  for (const auto* tokens : {&settings.role_tokens, &settings.extra_tokens}) {
    for (const text::AddedToken& token : *tokens) add(token);
  }
  resolve_added_tokens(*parts.vocabulary, source, parts.added_tokens);
  apply_settings(settings, parts);
  return parts;
}

}  // namespace contrastive::io
