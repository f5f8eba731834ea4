// The noise of TSDAE: a share of a text's words is left out (core/torch/methods/tsdae/README.md 2).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/base/rng.h"

namespace contrastive::methods {

struct Word {
  size_t begin = 0, end = 0;  // bytes
  bool spaced = false;        // white space stands before it
};

// What stands between white space; a punctuation character at the edge of that is a word of its
// own, and so is every Chinese, Japanese or Korean ideograph. Malformed UTF-8 reads as letters.
std::vector<Word> words_of(std::string_view text);

// Each word is deleted with probability `ratio`, by itself; where all would be, one is kept. A text
// without words stays.
std::string delete_words(std::string_view text, double ratio, Rng& rng);

}  // namespace contrastive::methods
