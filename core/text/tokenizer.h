// The tokenizer of a checkpoint: converts text to token ids, with the same ids as Hugging Face
// `tokenizers`. Immutable, and safe to use from any number of threads at once; limits are arguments
// of the call, never state.
//
// The steps from text to ids (each is a file in this folder): UTF-8 check -> added tokens ->
// normalisation -> pre-tokens -> the model (WordPiece, BPE, Unigram, WordLevel) -> truncation ->
// special tokens. core/io/tokenizer_files.h reads the files of a checkpoint.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/token_batch.h"

namespace contrastive::text {

// One tokenised text (or pair) with the positions of its tokens.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;
  std::vector<int64_t>
      begins;  // [ids] first byte of the token in its original UTF-8 text; -1 for special tokens
  std::vector<int64_t> ends;  // [ids] one past its last byte; -1 for special tokens
  int64_t full_length = 0;    // tokens without truncation
};

// Ids of the tokens that models and methods need by role; -1 if the vocabulary has none.
struct SpecialIds {
  int32_t pad = -1, unk = -1, cls = -1, sep = -1,
          mask = -1;  // RoBERTa's <s> and </s> have the roles cls and sep
};

// What to do with malformed UTF-8: replace each sequence by U+FFFD, like Python's errors="replace",
// or throw kFormat.
enum class InvalidUtf8 { kReplace, kError };

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends one text, truncated to `max_length` ids in total; special tokens are kept. `max_length`
  // 0 means no limit. invalid_utf8() says what happens to invalid UTF-8. Throws kArgument if
  // max_length leaves no room for the special tokens, and kFormat, which names the byte and the
  // index of the text in the batch. The token types are those for an encoder, which may be 0 where
  // encode() has the template's.
  virtual void append(std::string_view text, int64_t max_length, TokenBatch& batch) const = 0;
  // Appends the pair (a, b) with longest-first truncation: the longer text is cut to the length of
  // the shorter one before both are cut alike. An odd id stays with the longer one, or with the
  // second if they are equally long (post_processor.h).
  virtual void append_pair(std::string_view a, std::string_view b, int64_t max_length,
                           TokenBatch& batch) const = 0;
  // The same with offsets.
  virtual Encoding encode(std::string_view text, int64_t max_length) const = 0;
  virtual Encoding encode_pair(std::string_view a, std::string_view b,
                               int64_t max_length) const = 0;

  virtual int64_t vocab_size() const = 0;                // highest id + 1, added tokens included
  virtual std::string token(int32_t id) const = 0;       // "" if unknown
  virtual int32_t id(std::string_view token) const = 0;  // -1 if unknown
  virtual const SpecialIds& special_ids() const = 0;
  virtual bool is_special(int32_t id) const = 0;
  virtual int64_t model_max_length() const = 0;  // from tokenizer_config.json; 0 if it has none
  virtual const std::string& kind()
      const = 0;  // "wordpiece", "byte-bpe", "bpe", "unigram" or "word-level"
  virtual InvalidUtf8 invalid_utf8() const = 0;
};

}  // namespace contrastive::text
