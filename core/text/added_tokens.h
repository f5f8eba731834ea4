// Added tokens: special tokens such as [MASK] and tokens that a user added. They are found in a
// text before the model sees it: some in the original text, others in the normalised text.
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
  bool single_word = false;  // no match next to a letter, digit or mark
  bool lstrip = false;       // includes the white space on its left
  bool rstrip = false;       // includes the white space on its right
  bool normalized = false;   // searched for in the normalised text
  bool special = false;
  bool passed_over = false;  // leave a match to the model, as ordinary text
};

// The start of the white space that ends at `at`, but not before `stop`.
size_t skip_space_back(std::string_view text, size_t at, size_t stop);
// The end of the white space that begins at `at`.
size_t skip_space(std::string_view text, size_t at);

// Finds added tokens in a text: the longest one at the leftmost position, then continues after it.
class AddedTokenFinder {
 public:
  AddedTokenFinder() = default;
  // Searches for `contents[i]` and reports `tokens[i]`. An empty content never matches.
  AddedTokenFinder(std::vector<std::string> contents, std::vector<AddedToken> tokens);

  // Splits `text` into pieces in order: calls `piece(begin, end, token)` with token nullptr for the
  // text between tokens. Never calls it for an empty piece.
  template <class Piece>
  void split(std::string_view text, const Piece& piece) const {
    size_t begin = 0;
    size_t at = 0;
    Match match;
    while (next(text, at, begin, match)) {
      if (match.begin > begin) piece(begin, match.begin, nullptr);
      piece(match.begin, match.end, match.token);
      begin = match.end;
    }
    if (begin < text.size()) piece(begin, text.size(), nullptr);
  }

 private:
  struct Match {
    size_t begin, end;
    const AddedToken* token;
  };
  struct Pattern {
    std::string content;
    AddedToken token;
  };

  // The next match that begins at or after `at`, which moves to its end. `taken` is the end of the
  // previous match, including its white space.
  bool next(std::string_view text, size_t& at, size_t taken, Match& match) const;
  const Pattern* longest_at(std::string_view text, size_t at) const;

  std::vector<Pattern> patterns_;
  TokenTrie trie_;  // of indices into patterns_
};

}  // namespace contrastive::text
