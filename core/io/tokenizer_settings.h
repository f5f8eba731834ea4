// The settings of a tokenizer besides its vocabulary: tokenizer_config.json,
// special_tokens_map.json and added_tokens.json, with the same precedence as in transformers 5.
// Each file may be absent.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/base/json.h"
#include "core/text/added_tokens.h"
#include "core/text/tokenizer.h"
#include "core/text/vocabulary.h"

namespace contrastive::io {

struct TokenizerSettings {
  std::string tokenizer_class;  // "" if absent
  std::string class_name;  // the class that transformers loads (tokenizer_class.h), "" for one that
                           // uses tokenizer.json unchanged
  bool takes_json_as_it_is = false;          // the model's own class does, whatever class is stated
  int64_t model_max_length = 0;              // 0: none, or so large that it means no limit
  std::map<std::string, std::string> roles;  // "cls_token" -> "[CLS]"
  std::optional<bool> names_token_types;     // whether model_input_names, otherwise the model in
                                             // config.json, includes token types
  std::optional<bool> do_lower_case, strip_accents, tokenize_chinese_chars, add_prefix_space,
      keep_accents, add_bos_token, add_eos_token, legacy, trim_offsets;
  int64_t extra_ids = 100;             // of T5
  std::optional<bool> truncates_left;  // truncation_side
  bool splits_special_tokens = false;  // split_special_tokens
  std::vector<text::AddedToken>
      added_tokens;  // added_tokens_decoder or added_tokens.json, with ids, ordered by them
  bool has_added_tokens_decoder = false;  // it replaces the added tokens of tokenizer.json
  std::vector<text::AddedToken> role_tokens,
      extra_tokens;  // without ids, in the order in which transformers adds them
  bool has_extra_tokens =
      false;  // whether a file has a list of extra special tokens, even an empty one
  std::vector<std::string> notes;  // keys that this library does not know
  bool special_tokens =
      true;  // not from a file: false omits what a post-processor adds around a text
  text::InvalidUtf8 invalid_utf8 =
      text::InvalidUtf8::kReplace;  // not from a file: the caller's choice
};

TokenizerSettings read_tokenizer_settings(const std::string& folder);

// An added token as described in tokenizer.json and tokenizer_config.json. `special` applies if the
// object does not say. The caller reads the id.
text::AddedToken read_added_token(const JsonObject& object, bool special = false);

// A special token with this content, which is matched literally before anything else.
text::AddedToken special_token(const std::string& content, bool lstrip = false);

// Whether transformers passes the token types of a text to the encoder: if model_input_names
// includes them, otherwise if the class is BERT's or derived from it. If no class is stated, the
// template decides.
bool passes_token_types(const TokenizerSettings& settings);

// The token for `role` ("mask_token"), or `fallback` if the settings name none.
std::string role_token(const TokenizerSettings& settings, const std::string& role,
                       const std::string& fallback);

// Ids by role. If the settings name no token for a role, uses the one with BERT's name, then
// RoBERTa's or Gemma's; with `byte_level` RoBERTa's before BERT's. -1 if the vocabulary lacks the
// token.
text::SpecialIds special_ids(const TokenizerSettings& settings, bool byte_level,
                             const text::Vocabulary& vocabulary,
                             const std::vector<text::AddedToken>& added);

}  // namespace contrastive::io
