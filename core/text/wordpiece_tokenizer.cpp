#include "core/text/wordpiece_tokenizer.h"

#include "core/text/pre_tokenizer.h"

namespace contrastive::text {

WordPieceTokenizer::WordPieceTokenizer(TokenizerParts given, const WordPieceOptions& options)
    : PipelineTokenizer(std::move(given), "wordpiece"),
      model_(*parts().vocabulary, options, parts().source) {}

void WordPieceTokenizer::tokenize(const NormalizedText& text, size_t begin, size_t end,
                                  TokenSequence& out) const {
  split_bert(text.bytes.substr(begin, end - begin),
             [&](size_t from, size_t to) { model_.tokenize(text, begin + from, begin + to, out); });
}

}  // namespace contrastive::text
