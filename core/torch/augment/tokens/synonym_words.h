// A JSON file of words and their synonyms, {"word": ["synonym", ...], ...}, word by word:
// parse_json looks every key up among all the ones before it, which for a dictionary takes too
// long.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::augment {

using SynonymVisitor =
    std::function<void(const std::string& word, const std::vector<std::string>& synonyms)>;

// kFormat (naming `source`, and the word where there is one) for what is not JSON, or JSON of
// another form. A word may stand twice.
void parse_synonym_words(std::string_view text, const std::string& source,
                         const SynonymVisitor& visit);

}  // namespace contrastive::augment
