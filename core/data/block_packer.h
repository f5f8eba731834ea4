// Packs the sentences of a corpus into blocks: consecutive whole sentences, as many as fit into a
// model's length. For pre-training, where each block is an example (fairseq's "complete" mode;
// core/torch/methods/clear/README.md 5). The text of a block is its sentences, one per line.
#pragma once

#include <memory>
#include <string_view>

#include "core/data/dataset.h"
#include "core/text/token_batch.h"
#include "core/text/tokenizer.h"

namespace contrastive::data {

// Tokenises texts of several lines as blocks: <s> line </s> line </s> ..., with as many whole lines
// as fit.
class BlockTokenizer {
 public:
  // `tokenizer` must outlive this object. Throws kUnsupported unless it puts one special token
  // before a text and one after it, and kArgument for a length that leaves no room for a token.
  BlockTokenizer(const text::Tokenizer& tokenizer, int64_t max_length);

  // Appends one block. Empty lines are ignored. If the first line alone is too long, it is cut;
  // later lines that do not fit are left out.
  void append(std::string_view text, text::TokenBatch& batch) const;
  // The ids that a line takes, including its </s>, however long it is; 0 for an empty line.
  int64_t line_ids(std::string_view line) const;
  int64_t room() const { return max_length_ - 1; }  // ids of a block after <s>

 private:
  const text::Tokenizer& tokenizer_;
  int64_t max_length_;
  int32_t begin_ = -1, end_ = -1;
};

// The blocks of `sentences` as a dataset. Every sentence is tokenised once to determine its length.
// 8 bytes for each block stay in memory; texts are read when they are needed. Do not add examples
// to `sentences` afterwards. Both texts of a pair are sentences.
std::shared_ptr<const Dataset> pack_blocks(std::shared_ptr<const Dataset> sentences,
                                           const BlockTokenizer& tokenizer);

}  // namespace contrastive::data
