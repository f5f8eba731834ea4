#include "core/text/added_tokens.h"

#include "core/text/unicode.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

bool is_space(char32_t c) { return (char_flags(c) & kSpace) != 0; }

// The start of the character that ends before `at` > 0. In a malformed sequence that is its last
// byte, which is read as U+FFFD: neither a space nor a letter.
size_t previous(std::string_view text, size_t at) {
  size_t begin = at;
  do {
    --begin;
  } while (begin > 0 && at - begin < 4 && (static_cast<unsigned char>(text[begin]) & 0xC0) == 0x80);
  size_t end = begin;
  decode_utf8(text, end);
  return end == at ? begin : at - 1;
}

char32_t character_at(std::string_view text, size_t at) { return decode_utf8(text, at); }

}  // namespace

size_t skip_space_back(std::string_view text, size_t at, size_t stop) {
  while (at > stop && is_space(character_at(text, previous(text, at)))) at = previous(text, at);
  return at;
}

size_t skip_space(std::string_view text, size_t at) {
  while (at < text.size()) {
    size_t next = at;
    if (!is_space(decode_utf8(text, next))) break;
    at = next;
  }
  return at;
}

AddedTokenFinder::AddedTokenFinder(std::vector<std::string> contents,
                                   std::vector<AddedToken> tokens) {
  for (size_t i = 0; i < contents.size(); ++i) {
    if (contents[i].empty()) continue;
    patterns_.push_back({std::move(contents[i]), std::move(tokens[i])});
  }
  TokenTrie::Keys keys;
  for (const Pattern& pattern : patterns_)
    keys.emplace_back(pattern.content, static_cast<int32_t>(keys.size()));
  trie_ = TokenTrie(std::move(keys));
}

const AddedTokenFinder::Pattern* AddedTokenFinder::longest_at(std::string_view text,
                                                              size_t at) const {
  const Pattern* longest = nullptr;
  trie_.prefixes(text, at,
                 [&](size_t, int32_t index) { longest = &patterns_[static_cast<size_t>(index)]; });
  return longest;
}

bool AddedTokenFinder::next(std::string_view text, size_t& at, size_t taken, Match& match) const {
  if (patterns_.empty()) return false;
  for (; at < text.size(); ++at) {
    if (trie_.first(text[at]) == TokenTrie::kNone) continue;
    const Pattern* pattern = longest_at(text, at);
    if (pattern == nullptr) continue;
    const size_t begin = at, end = at + pattern->content.size();
    const AddedToken& token = pattern->token;
    const bool in_word = token.single_word &&
                         ((begin > 0 && is_word_char(character_at(text, previous(text, begin)))) ||
                          (end < text.size() && is_word_char(character_at(text, end))));
    if (token.passed_over || in_word) {
      at = end - 1;  // refused as a whole: the search continues after it
      continue;
    }
    match.begin = token.lstrip ? skip_space_back(text, begin, taken) : begin;
    match.end = token.rstrip ? skip_space(text, end) : end;
    match.token = &token;
    at = end;
    return true;
  }
  return false;
}

}  // namespace contrastive::text
