// Byte-level BPE (GPT-2, RoBERTa, Qwen): a piece of text is merged from its bytes. pre_tokenizer.h
// splits text into pieces.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/text/bpe.h"

namespace contrastive::text {

struct ByteBpeOptions {
  std::string unknown_token;  // for bytes that are not in the vocabulary; "" drops them
  bool fuse_unknown = false;  // consecutive unknown bytes become one unknown token
  int64_t first_line = 0;  // the line of the first merge in its file, for error messages; 0 if they
                           // are not in lines
};

// GPT-2's printable character for each byte, in UTF-8: "Ġ" for the space.
const std::array<std::string, 256>& byte_characters();

class ByteBpe : public Bpe {
 public:
  // Throws kFormat, which names `source` and the number of the merge, if the vocabulary lacks a
  // token of a pair or the result.
  ByteBpe(const Vocabulary& vocabulary, const Merges& merges, const ByteBpeOptions& options,
          const std::string& source);

 protected:
  void split(std::string_view piece, Symbols& symbols) const override;

 private:
  ByteBpeOptions options_;
  int32_t unknown_ = -1;
  std::array<int32_t, 256> byte_ids_{};  // -1 if the vocabulary lacks the byte
};

}  // namespace contrastive::text
