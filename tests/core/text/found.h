// What a pattern finds in a text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/text/pattern.h"

namespace contrastive::text {

using Found = std::vector<std::string>;

inline Found found(const Pattern& pattern, std::string_view text) {
  std::vector<Span> matches;
  pattern.find(text, matches);
  Found result;
  for (const Span& match : matches)
    result.emplace_back(text.substr(match.begin, match.end - match.begin));
  return result;
}

}  // namespace contrastive::text
