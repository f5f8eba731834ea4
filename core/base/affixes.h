// Whether a string begins or ends with another one (C++20's starts_with and ends_with).
#pragma once

#include <string_view>

namespace contrastive {

inline bool begins_with(std::string_view text, std::string_view beginning) {
  return text.substr(0, beginning.size()) == beginning;
}

inline bool ends_with(std::string_view text, std::string_view ending) {
  return text.size() >= ending.size() && text.substr(text.size() - ending.size()) == ending;
}

}  // namespace contrastive
