// A pattern that a normalizer replaces or a pre-tokenizer splits at: a string, or a regular
// expression. Matches are found from left to right and do not overlap.
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

  // Appends the matches in `text`, which must be valid UTF-8, in order.
  virtual void find(std::string_view text, std::vector<Span>& matches) const = 0;
};

// `text` must not be empty.
std::shared_ptr<const Pattern> literal_pattern(std::string text);

// A regular expression. Some are implemented directly: GPT-2's split, that of Qwen and Llama 3, and
// runs of one character. Throws kFormat, which names `source`, for an invalid expression. A search
// that takes too many steps or too much memory throws kLimit.
std::shared_ptr<const Pattern> expression_pattern(const std::string& expression,
                                                  const std::string& source);

}  // namespace contrastive::text
