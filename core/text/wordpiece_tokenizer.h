// The tokenizer of BERT and similar models: BERT's split into words, then WordPiece.
#pragma once

#include <memory>

#include "core/text/pipeline_tokenizer.h"
#include "core/text/wordpiece.h"

namespace contrastive::text {

class WordPieceTokenizer : public PipelineTokenizer {
 public:
  WordPieceTokenizer(TokenizerParts parts, const WordPieceOptions& options);

 protected:
  void tokenize(const NormalizedText& text, size_t begin, size_t end,
                TokenSequence& out) const override;

 private:
  WordPiece model_;
};

}  // namespace contrastive::text
