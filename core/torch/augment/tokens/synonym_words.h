// Reads a JSON file of words and their synonyms, {"word": ["synonym", ...], ...}, one word at a
// time. parse_json compares every key with all keys before it, which takes too long for a
// dictionary.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::augment {

using SynonymVisitor =
    std::function<void(const std::string& word, const std::vector<std::string>& synonyms)>;

// kFormat (naming `source`, and the word if known) if it is not JSON, or JSON of another form. A
// word may occur twice.
void parse_synonym_words(std::string_view text, const std::string& source,
                         const SynonymVisitor& visit);

}  // namespace contrastive::augment
