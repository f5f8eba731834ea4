// A strict reader of the header of a model card: only the YAML that cards use (mappings, lists,
// double-quoted and plain scalars). tests/golden/sentence_transformers/card.py checks the header
// with huggingface_hub.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::test {

class HeaderParser {
 public:
  explicit HeaderParser(const std::string& header) {
    for (size_t at = 0; at < header.size();) {
      const size_t end = header.find('\n', at);
      if (end == std::string::npos) throw std::runtime_error("the header's last line does not end");
      lines_.push_back(header.substr(at, end - at));
      at = end + 1;
    }
  }

  Json parse() {
    Json header = block(0);
    if (line_ != lines_.size()) throw std::runtime_error("not understood: " + lines_[line_]);
    return header;
  }

 private:
  static size_t indent_of(const std::string& line) { return line.find_first_not_of(' '); }
  bool at(size_t indent, bool item) const {
    return line_ < lines_.size() && indent_of(lines_[line_]) == indent &&
           (lines_[line_].compare(indent, 2, "- ") == 0) == item;
  }

  Json block(size_t indent) {
    if (!at(indent, true)) return mapping(indent);
    Json list = Json::array();
    while (at(indent, true)) {
      std::string& line = lines_[line_];
      const std::string rest = line.substr(indent + 2);
      if (rest[0] == '"' || key_of(rest).empty()) {
        list.push_back(scalar(rest));
        ++line_;
      } else {
        line[indent] = ' ';
        list.push_back(mapping(indent + 2));
      }
    }
    return list;
  }

  Json mapping(size_t indent) {
    Json map = Json::object();
    while (at(indent, false)) {
      const std::string rest = lines_[line_].substr(indent), key = key_of(rest);
      if (key.empty() || map.contains(key))
        throw std::runtime_error("no key, or one twice: " + rest);
      ++line_;
      if (rest.size() > key.size() + 1) map[key] = scalar(rest.substr(key.size() + 2));
      else map[key] = at(indent, true) ? block(indent) : block(indent + 2);
    }
    if (map.empty()) throw std::runtime_error("an empty mapping");
    return map;
  }

  static std::string key_of(const std::string& text) {
    const size_t end = text.find_first_not_of("abcdefghijklmnopqrstuvwxyz_-");
    return end != std::string::npos && end > 0 && text[end] == ':' &&
                   (end + 1 == text.size() || text[end + 1] == ' ')
               ? text.substr(0, end)
               : "";
  }

  // A double-quoted scalar of these cards has only JSON's escapes.
  static Json scalar(const std::string& text) {
    if (text[0] == '"') return parse_json(text, "scalar");
    const bool number = text.find_first_not_of("0123456789.-") == std::string::npos;
    if (number) return parse_json(text, "number");
    if (text.find_first_not_of("abcdefghijklmnopqrstuvwxyz-") != std::string::npos)
      throw std::runtime_error("wants quotes: " + text);
    return text;
  }

  std::vector<std::string> lines_;
  size_t line_ = 0;
};

inline Json parse_header(const std::string& card) {
  if (card.rfind("---\n", 0) != 0) throw std::runtime_error("the card has no header");
  const size_t end = card.find("\n---\n", 3);
  if (end == std::string::npos) throw std::runtime_error("the header does not end");
  return HeaderParser(card.substr(4, end - 3)).parse();
}

}  // namespace contrastive::test
