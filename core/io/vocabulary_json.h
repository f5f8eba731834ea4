// Parses JSON documents that contain a vocabulary. parse_json compares every key with all keys
// before it, which takes seconds for a vocabulary. Here the vocabulary is taken out while the text
// is parsed, and the rest gets all the checks of parse_json.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/text/vocabulary.h"

namespace contrastive::io {

using MergeList = std::vector<std::pair<std::string, std::string>>;

struct VocabularyJson {
  Json rest;
  text::TokenList vocabulary;
  bool is_list = false;  // the vocabulary was a list of [token, score], whose positions are the ids
  std::vector<double> scores;  // [vocabulary] of such a list
  MergeList merges;            // from "a b" or ["a", "b"]
};

constexpr int64_t kMaxTokenizerBytes = int64_t{256} << 20;
constexpr int64_t kMaxTokenizerEntries = int64_t{1}
                                         << 23;  // of a vocabulary, or of merges: ten times the
                                                 // largest known one, and one gigabyte of memory

VocabularyJson parse_tokenizer_json(
    std::string_view text,
    const std::string& source);  // the vocabulary at model.vocab, merges at model.merges
VocabularyJson parse_vocabulary_json(
    std::string_view text,
    const std::string& source);  // vocab.json: the document is the vocabulary

// Parses one merge from its line. kFormat names `source` and `number` if the line is not two
// tokens.
std::pair<std::string, std::string> parse_merge(const std::string& line, const std::string& source,
                                                int64_t number);

}  // namespace contrastive::io
