// Tokens that are found in a text before any model sees it: special tokens such as [MASK], and
// those that a user added. Some are looked for in the text as it is given, others in the normalised
// text.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/token_trie.h"

namespace contrastive::text {

struct AddedToken {
  std::string content;
  int32_t id = -1;
  bool single_word = false;  // no match beside a letter, digit or mark
  bool lstrip = false;       // takes the white space on its left with it
  bool rstrip = false;       // and on its right
  bool normalized = false;   // looked for in the normalised text
  bool special = false;
  bool passed_over = false;  // a match of it is left to the model, as text
};

// Where the white space that ends at `at` begins, not before `stop`.
size_t skip_space_back(std::string_view text, size_t at, size_t stop);
// Where the white space that begins at `at` ends.
size_t skip_space(std::string_view text, size_t at);

// Finds the given tokens in a text: at the leftmost place the longest, then on behind it.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  // Looks for `contents[i]` (not empty, or it never matches) and reports `tokens[i]`.
  AddedTokenFinder(std::vector<std::string> contents, std::vector<AddedToken> tokens);

  bool empty() const { return patterns_.empty(); }
  size_t longest() const { return longest_; }  // bytes
  bool any_lstrip() const { return any_lstrip_; }
  bool mentions(std::string_view bytes) const;  // whether one of the tokens contains them

  // `text` may be malformed, but then no token with a U+FFFD in it is found. Cuts `text` into
  // pieces in order: `piece(begin, end, token)` with token nullptr for what lies between tokens.
  // Never calls for an empty piece.
  template <class Piece>
  void split(std::string_view text, const Piece& piece) const {
    size_t begin = 0;
    size_t at = 0;
    Match match;
    while (next(text, at, text.size(), begin, match)) {
      if (match.begin > begin) piece(begin, match.begin, nullptr);
      piece(match.begin, match.end, match.token);
      begin = match.end;
    }
    if (begin < text.size()) piece(begin, text.size(), nullptr);
  }

  struct Match {
    size_t begin, end;
    const AddedToken* token;
  };
  // The next match that begins at or behind `at` and before `stop`; `at` moves behind it, or to
  // where the search ended. `taken` is where the previous match ended, white space included.
  bool next(std::string_view text, size_t& at, size_t stop, size_t taken, Match& match) const;

 private:
  struct Pattern {
    std::string content;
    AddedToken token;
  };

  const Pattern* longest_at(std::string_view text, size_t at) const;

  std::vector<Pattern> patterns_;
  TokenTrie trie_;  // of indices into patterns_
  size_t longest_ = 0;
  bool any_lstrip_ = false;
};

}  // namespace contrastive::text
