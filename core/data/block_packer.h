// Blocks of a corpus: whole sentences in the order of the dataset, as many as fit into a model's
// length. For pre-training, where a block is the example (fairseq's "complete" mode;
// core/torch/methods/clear/README.md 5). A block's text is its sentences, one a line.
#pragma once

#include <memory>
#include <string_view>

#include "core/data/dataset.h"
#include "core/text/token_batch.h"
#include "core/text/tokenizer.h"

namespace contrastive::data {

// Tokenises texts of several lines as blocks: <s> line </s> line </s> ..., as many whole lines as
// fit.
class BlockTokenizer {
 public:
  // `tokenizer` must outlive this. kUnsupported for one that does not put one special token before
  // a text and one behind it; kArgument for a length that leaves no room for a token.
  BlockTokenizer(const text::Tokenizer& tokenizer, int64_t max_length);

  // Appends one block. Empty lines count for nothing; a first line that is too long by itself is
  // cut, later lines that do not fit are left out.
  void append(std::string_view text, text::TokenBatch& batch) const;
  // Ids that a line takes, its </s> included, however long it is; 0 for an empty line.
  int64_t line_ids(std::string_view line) const;
  int64_t room() const { return max_length_ - 1; }  // ids of a block behind <s>

 private:
  const text::Tokenizer& tokenizer_;
  int64_t max_length_;
  int32_t begin_ = -1, end_ = -1;
};

// The blocks of `sentences` as a dataset. Every sentence is tokenised once to know its length; 8
// bytes a block stay in memory, texts are read when they are asked for. `sentences` takes no
// further examples from then on. Both texts of a pair are sentences.
std::shared_ptr<const Dataset> pack_blocks(std::shared_ptr<const Dataset> sentences,
                                           const BlockTokenizer& tokenizer);

}  // namespace contrastive::data
