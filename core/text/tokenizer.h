// The tokenizer of one checkpoint: text in, token ids out, equal to Hugging Face `tokenizers` id by
// id. Immutable and safe to use from any number of threads at once; limits are arguments of the
// call, never state.
//
// How a text becomes ids (each step is a file beside this one): UTF-8 check -> normalisation ->
// pre-tokens -> WordPiece or byte-level BPE -> truncation -> special tokens. Reading the files of a
// checkpoint is the business of core/io/tokenizer_files.h.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/token_batch.h"

namespace contrastive::text {

// One text (or pair) with the places its tokens come from.
struct Encoding {
  std::vector<int32_t> ids;
  std::vector<int32_t> type_ids;
  std::vector<int64_t>
      begins;  // [ids] first byte of the token in its original UTF-8 text; -1 for special tokens
  std::vector<int64_t> ends;  // [ids] one past its last byte; -1 for special tokens
  int64_t full_length = 0;    // tokens without truncation
};

// Ids of the tokens that models and methods need by role; -1 where the vocabulary has none.
struct SpecialIds {
  int32_t pad = -1, unk = -1, cls = -1, sep = -1,
          mask = -1;  // RoBERTa's <s> and </s> play cls and sep
};

// What a malformed sequence of UTF-8 is: U+FFFD, as Python's errors="replace" reads it, or kFormat.
enum class InvalidUtf8 { kReplace, kError };

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  // Appends one text (invalid UTF-8 as invalid_utf8() says), cut to `max_length` ids in all;
  // special tokens are kept. `max_length` 0 means no limit. kArgument when max_length leaves no
  // room for the special tokens; kFormat names the text by its place in the batch, and the byte.
  // Types are those that an encoder is handed, which may be 0 where encode() has the template's.
  virtual void append(std::string_view text, int64_t max_length, TokenBatch& batch) const = 0;
  // Appends the pair (a, b); longest-first truncation: the longer text is cut to the length of the
  // shorter one before both are cut alike, and an odd id stays with the longer one, with the second
  // on a tie (post_processor.h).
  virtual void append_pair(std::string_view a, std::string_view b, int64_t max_length,
                           TokenBatch& batch) const = 0;
  // The same with offsets.
  virtual Encoding encode(std::string_view text, int64_t max_length) const = 0;
  virtual Encoding encode_pair(std::string_view a, std::string_view b,
                               int64_t max_length) const = 0;

  virtual int64_t vocab_size() const = 0;                // highest id + 1, added tokens included
  virtual std::string token(int32_t id) const = 0;       // "" when there is none
  virtual int32_t id(std::string_view token) const = 0;  // -1 when there is none
  virtual const SpecialIds& special_ids() const = 0;
  virtual bool is_special(int32_t id) const = 0;
  virtual int64_t model_max_length()
      const = 0;  // from tokenizer_config.json; 0 when it states none
  virtual const std::string& kind()
      const = 0;  // "wordpiece", "byte-bpe", "bpe", "unigram" or "word-level"
  virtual InvalidUtf8 invalid_utf8() const = 0;
};

}  // namespace contrastive::text
