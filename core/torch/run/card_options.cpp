#include "core/torch/run/card_options.h"

#include <algorithm>

#include "core/base/error.h"

namespace contrastive::run {
namespace {

constexpr size_t kLongestTitle = 200, kLongestDescription = 4000, kLongestName = 200,
                 kLongestLanguage = 40;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_name_character(char c) {
  return is_letter(c) || is_digit(c) || c == '.' || c == '_' || c == '-';
}

// The shape of BCP 47 (RFC 5646), without its registry: a language of two or three letters, then
// parts of up to eight letters and digits, each behind a hyphen. One letter alone announces another
// part. "en", "deu", "pt-BR", "zh-Hant-TW"; and "multilingual", which hubs know.
bool is_language(const std::string& text) {
  if (text == "multilingual") return true;
  size_t begin = 0, part = 0;
  for (; begin <= text.size(); ++part) {
    const size_t end = std::min(text.find('-', begin), text.size()), length = end - begin;
    const auto legal = [part](char c) {
      return part == 0 ? c >= 'a' && c <= 'z' : is_letter(c) || is_digit(c);
    };
    const bool most = part == 0 ? length == 2 || length == 3 : length >= 1 && length <= 8;
    if (!most || !std::all_of(text.begin() + static_cast<std::ptrdiff_t>(begin),
                              text.begin() + static_cast<std::ptrdiff_t>(end), legal))
      return false;
    if (length == 1 && end == text.size()) return false;
    begin = end + 1;
  }
  return text.size() <= kLongestLanguage;
}

// "apache-2.0"
bool is_license(const std::string& text) {
  return text.size() <= 40 && std::all_of(text.begin(), text.end(), [](char c) {
           return is_name_character(c) && !(c >= 'A' && c <= 'Z');
         });
}

void check_text(const char* key, const std::string& text, size_t most) {
  check(text.empty() || text.find_first_not_of(" \t\r\n\v\f") != std::string::npos,
        Status::kArgument, "config key '", CardOptions::kPrefix, key,
        "' is blank: give it words, or leave it out");
  check(text.size() <= most, Status::kArgument, "config key '", CardOptions::kPrefix, key, "' has ",
        text.size(), " bytes, more than ", most);
}

template <class Legal>
void check_each(const char* key, const std::vector<std::string>& values, const Legal& legal,
                const char* form) {
  for (const std::string& value : values) {
    check(legal(value), Status::kArgument, "config key '", CardOptions::kPrefix, key, "': '",
          value.substr(0, kLongestName), "' is not ", form);
  }
}

}  // namespace

bool is_hub_name(const std::string& text) {
  const bool legal = std::all_of(text.begin(), text.end(),
                                 [](char c) { return is_name_character(c) || c == '/'; });
  const size_t slash = text.find('/');
  const bool two = slash != std::string::npos, begins = !text.empty() &&
                                                        is_name_character(text[0]) &&
                                                        text[0] != '.' && text[0] != '-';
  return legal && begins && text.size() <= kLongestName &&
         (!two || (slash + 1 < text.size() && text.find('/', slash + 1) == std::string::npos));
}

void CardOptions::visit(OptionVisitor& v) {
  v.text("title", title,
         OptionDoc(
             "heading of the saved model's card; empty = made from the base model and the method")
             .may_change());
  v.text("description", description,
         OptionDoc("a paragraph for the card: what the model is for, and what it is not for")
             .may_change());
  v.text("license", license,
         OptionDoc("licence of the saved model by its identifier on hubs, such as apache-2.0")
             .source("the hub's list of licences")
             .may_change());
  v.list("language", language,
         OptionDoc("languages that the model is for, such as en, deu, pt-BR or multilingual")
             .source("BCP 47")
             .may_change());
  v.list("datasets", datasets,
         OptionDoc("datasets that the model was trained on, by their names on a hub, such as "
                   "sentence-transformers/all-nli")
             .may_change());
  v.text("base_model", base_model,
         OptionDoc(
             "hub name of the model that training starts from, such as "
             "sentence-transformers/all-MiniLM-L6-v2; empty = its name, if it is in a hub's cache")
             .may_change());
}

void CardOptions::validate() const {
  check_text("title", title, kLongestTitle);
  check_text("description", description, kLongestDescription);
  constexpr const char* kHubName = "a name of a hub, such as sentence-transformers/all-nli";
  if (!license.empty())
    check_each("license", {license}, is_license, "an identifier of a licence, such as apache-2.0");
  if (!base_model.empty()) check_each("base_model", {base_model}, is_hub_name, kHubName);
  check_each("datasets", datasets, is_hub_name, kHubName);
  check_each("language", language, is_language,
             "a code of a language, such as en, deu, pt-BR or multilingual");
}

}  // namespace contrastive::run
