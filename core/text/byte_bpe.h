// Byte-level BPE (GPT-2, RoBERTa, Qwen): a piece of text is merged from its bytes. The split of
// text into pieces is pre_tokenizer.h's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/bpe.h"

namespace contrastive::text {

struct ByteBpeOptions {
  std::string unknown_token;  // for bytes that the vocabulary lacks; "" drops them
  bool fuse_unknown = false;  // neighbouring unknown bytes are one unknown token
  int64_t first_line = 0;  // of the merges in their file, for messages; 0: they stand in no lines
};

// GPT-2's printable stand-in for each byte, in UTF-8: "Ġ" for the space.
const std::array<std::string, 256>& byte_characters();

class ByteBpe : public Bpe {
 public:
  // kFormat, naming `source` and the number of the merge, for a pair whose tokens or whose result
  // the vocabulary lacks.
  ByteBpe(const Vocabulary& vocabulary, const Merges& merges, const ByteBpeOptions& options,
          const std::string& source);

  // True where the vocabulary lacks a byte and has no unknown token: such bytes are no part of any
  // token.
  bool drops_bytes() const;

 protected:
  void split(std::string_view piece, Symbols& symbols) const override;

 private:
  ByteBpeOptions options_;
  int32_t unknown_ = -1;
  std::array<int32_t, 256> byte_ids_{};  // -1 where the vocabulary lacks the byte
};

}  // namespace contrastive::text
