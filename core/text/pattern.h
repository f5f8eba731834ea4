// What a normalizer replaces and a pre-tokenizer splits at: a string, or a regular expression.
// Matches are found from left to right, and none overlaps another.
#pragma once

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::text {

struct Span {
  size_t begin, end;
};

class Pattern {
 public:
  virtual ~Pattern() = default;

  // Appends the matches in `text`, which is valid UTF-8, in order.
  virtual void find(std::string_view text, std::vector<Span>& matches) const = 0;
  // Whether no match reaches over the place between two ASCII letters or digits.
  virtual bool keeps_words() const { return false; }
  // Whether matches begin and end at every place between an ASCII letter and a space, whatever
  // stands around it; and whether none reaches over one.
  virtual bool cuts_before_space() const { return false; }
  virtual bool ignores_word_ends() const { return false; }
};

// `text` is not empty.
std::shared_ptr<const Pattern> literal_pattern(std::string text);

// A regular expression, of which some are written out as code: GPT-2's split, the one of Qwen and
// Llama 3, and runs of one character. kFormat, naming `source`, for what is no expression. A search
// that takes too many steps or too much memory is kLimit.
std::shared_ptr<const Pattern> expression_pattern(const std::string& expression,
                                                  const std::string& source);

}  // namespace contrastive::text
