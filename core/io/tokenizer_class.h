// The tokenizer classes of transformers 5. PreTrainedTokenizerFast uses tokenizer.json unchanged.
// The classes listed here use only its vocabulary, and build the normalizer, the pre-tokenizer and
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

// For this model_type, transformers uses tokenizer.json unchanged, whatever class the folder
// states.
constexpr const char* kTakenAsItIs = "modernbert";

// The class that AutoTokenizer loads for a folder that states the class `stated` ("" for none) and
// a model of `model_type`: the canonical name of a class that rebuilds the tokenizer
// ("BertTokenizer" for "DistilBertTokenizerFast"), or "" for a class that does not.
std::string loaded_class(std::string stated, const std::string& model_type);

// Throws kUnsupported for a class of transformers that rebuilds the tokenizer in a way that this
// library does not implement.
void refuse_unread_class(const TokenizerSettings& settings, const std::string& source);

class TokenizerClass {
 public:
  // The class of `settings` for a tokenizer.json whose model has the type `model` ("WordPiece"). If
  // the class needs another type of model, which transformers fails to load, tokenizer.json is used
  // unchanged.
  TokenizerClass(const TokenizerSettings& settings, const std::string& model);

  bool rebuilds() const { return entry_ != nullptr; }
  // Puts the parts that the class builds into `root`, a tokenizer.json without its vocabulary.
  void rebuild(const text::TokenList& vocabulary, Json& root) const;
  // The added tokens in the order in which transformers adds them, if tokenizer.json has `of_json`.
  // A later token replaces an equal one before it.
  std::vector<text::AddedToken> added_tokens(const std::vector<text::AddedToken>& of_json,
                                             const text::Vocabulary& vocabulary) const;
  // Replaces the template from tokenizer.json; `stated` is false if it had no template. `id_of`
  // gives the id of a token.
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
  // The tokens of roles and lists, in the order in which they are added. false: only the class
  // names the token, not a file or a template.
  std::vector<std::pair<text::AddedToken, bool>> special_tokens() const;
  std::vector<std::string> template_tokens(
      bool stated) const;  // the tokens that open and close a text; none: the template stays
  text::PostProcessor make_template(int32_t opening, int32_t closing) const;

  const TokenizerSettings& settings_;
  const Entry* entry_ = nullptr;
};

}  // namespace contrastive::io
