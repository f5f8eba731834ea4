// JSON documents with a vocabulary in them. parse_json looks every key up in all the ones before
// it, which takes seconds for the keys of a vocabulary: here they are taken out while the text is
// parsed, and what remains has had all the checks of parse_json.
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
  bool is_list = false;  // the vocabulary was a list of [token, score], whose places are the ids
  std::vector<double> scores;  // [vocabulary] of such a list
  MergeList merges;            // from "a b" or ["a", "b"]
};

constexpr int64_t kMaxTokenizerBytes = int64_t{256} << 20;
constexpr int64_t kMaxTokenizerEntries =
    int64_t{1}
    << 23;  // of a vocabulary, or merges: ten times the largest known, and a gigabyte to hold

VocabularyJson parse_tokenizer_json(
    std::string_view text,
    const std::string& source);  // the vocabulary at model.vocab, merges at model.merges
VocabularyJson parse_vocabulary_json(
    std::string_view text,
    const std::string& source);  // vocab.json: the document is the vocabulary

// One merge from its line; kFormat names `source` and `number` where it is not two tokens.
std::pair<std::string, std::string> parse_merge(const std::string& line, const std::string& source,
                                                int64_t number);

}  // namespace contrastive::io
