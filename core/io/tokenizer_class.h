// Tokenizer classes of transformers 5. PreTrainedTokenizerFast takes tokenizer.json as it is. Those
// that are listed here take only its vocabulary, and build the normalizer, the pre-tokenizer and
// the template from the arguments in tokenizer_config.json, whatever tokenizer.json says.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "core/base/json.h"
#include "core/io/tokenizer_settings.h"
#include "core/text/post_processor.h"
#include "core/text/vocabulary.h"

namespace contrastive::io {

// transformers takes the tokenizer.json of this model_type as it is, whatever class its folders
// state.
constexpr const char* kTakenAsItIs = "modernbert";

// The class that AutoTokenizer loads where a folder states the class `stated` ("" for none) and the
// model is of `model_type`: a class that rebuilds, by its own name ("BertTokenizer" for
// "DistilBertTokenizerFast"), or "" for one that does not.
std::string loaded_class(std::string stated, const std::string& model_type);

// kUnsupported for a class of transformers that rebuilds the tokenizer in a way that is not read.
void refuse_unread_class(const TokenizerSettings& settings, const std::string& source);

class TokenizerClass {
 public:
  // The class of `settings` over a tokenizer.json whose model is of type `model` ("WordPiece").
  // Where the class takes another type of model, which transformers fails to load, tokenizer.json
  // is taken as it is.
  TokenizerClass(const TokenizerSettings& settings, const std::string& model);

  bool rebuilds() const { return entry_ != nullptr; }
  // Puts the parts that the class builds into `root`, a tokenizer.json without its vocabulary.
  void rebuild(const text::TokenList& vocabulary, Json& root) const;
  // The added tokens in the order in which transformers adds them, where tokenizer.json states
  // `of_json`: a later one replaces an equal one before it.
  std::vector<text::AddedToken> added_tokens(const std::vector<text::AddedToken>& of_json,
                                             const text::Vocabulary& vocabulary) const;
  // Replaces the template that was read from tokenizer.json, of which there was none where `stated`
  // is false. `id_of` gives the id of a token.
  template <class IdOf>
  void rebuild_template(bool stated, const IdOf& id_of, text::PostProcessor& result) const {
    const std::vector<std::string> ends = template_tokens(stated);
    if (!ends.empty()) result = make_template(id_of(ends.front()), id_of(ends.back()));
  }

 private:
  struct Entry;
  static const std::vector<Entry>& entries();
  friend std::string loaded_class(std::string stated, const std::string& model_type);

  std::string role(const char* name) const;
  // The tokens of roles and lists, in the order in which they are added; false: only the class
  // names it, no file and no template.
  std::vector<std::pair<text::AddedToken, bool>> special_tokens() const;
  std::vector<std::string> template_tokens(
      bool stated) const;  // what opens and closes a text; none: the template stays
  text::PostProcessor make_template(int32_t opening, int32_t closing) const;

  const TokenizerSettings& settings_;
  const Entry* entry_ = nullptr;
};

}  // namespace contrastive::io
