// The noise of TSDAE: deletes a share of a text's words (core/torch/methods/tsdae/README.md 2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::methods {

struct Word {
  size_t begin = 0, end = 0;  // bytes
  bool spaced = false;        // white space precedes it
};

// Splits a text at white space. A punctuation character at the edge of a word is a separate word,
// and so is every Chinese, Japanese or Korean ideograph. Malformed UTF-8 is read as letters.
std::vector<Word> words_of(std::string_view text);

// Deletes each word independently with probability `ratio`; if all would be deleted, one is kept. A
// text without words is returned unchanged.
std::string delete_words(std::string_view text, double ratio, Rng& rng);

}  // namespace contrastive::methods
