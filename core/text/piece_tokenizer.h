// The general tokenizer: any normalizer, any sequence of pre-tokenizers, and a model that sees one
// piece at a time. For all pipelines without a class of their own.
#pragma once

#include <memory>
#include <vector>

#include "core/text/piece_model.h"
#include "core/text/pipeline_tokenizer.h"
#include "core/text/splitter.h"

namespace contrastive::text {

class PieceTokenizer : public PipelineTokenizer {
 public:
  using Splitters = std::vector<std::shared_ptr<const Splitter>>;
  // `kind`: of the model, see Tokenizer::kind. The model may point into the vocabulary of `parts`.
  PieceTokenizer(TokenizerParts parts, Splitters splitters, std::shared_ptr<const PieceModel> model,
                 std::string kind);

 protected:
  void tokenize(const NormalizedText& text, size_t begin, size_t end,
                TokenSequence& out) const override;
  bool needs_places() const override { return needs_places_; }

 private:
  struct Buffers;

  void tokenize_piece(const NormalizedText& text, const Span& piece, Buffers& buffers,
                      TokenSequence& out) const;

  Splitters splitters_;
  std::shared_ptr<const PieceModel> model_;
  bool needs_places_ = false;
  std::vector<std::pair<int32_t, int32_t>>
      spaces_;  // [vocabulary] white space at the beginning and at the end of each token, if
                // offsets are trimmed
};

}  // namespace contrastive::text
