// The tokenizer of RoBERTa and similar models: GPT-2's split of the text, then byte-level BPE.
#pragma once

#include "core/text/byte_bpe.h"
#include "core/text/pipeline_tokenizer.h"

namespace contrastive::text {

struct ByteLevelOptions {
  bool add_prefix_space = false;  // put a space before a text that does not begin with one, so that
                                  // its first word is tokenised like any other word
  bool use_regex = true;          // false: the text is one piece
};

class ByteBpeTokenizer : public PipelineTokenizer {
 public:
  ByteBpeTokenizer(TokenizerParts parts, const ByteBpe::Merges& merges,
                   const ByteBpeOptions& model_options, const ByteLevelOptions& options);

 protected:
  void tokenize(const NormalizedText& text, size_t begin, size_t end,
                TokenSequence& out) const override;

 private:
  // The position of a piece: byte i of it is text.bytes[shift + i], but not before `low`.
  struct Place {
    const NormalizedText& text;
    int64_t low, shift;
  };
  void tokenize_piece(std::string_view piece, const Place& place, TokenSequence& out) const;
  void add_aligned(int32_t id, int64_t begin, int64_t end, const Place& place,
                   TokenSequence& out) const;
  // `width`: the bytes of the text that the token's first space comes from.
  void add_trimmed(int32_t id, int64_t first, int64_t last, int64_t width,
                   TokenSequence& out) const;

  ByteBpe model_;
  ByteLevelOptions options_;
  std::vector<std::pair<int32_t, int32_t>>
      spaces_;  // [vocabulary] the number of spaces at the beginning and at the end of each token
};

}  // namespace contrastive::text
