#include "core/text/wordpiece_tokenizer.h"

#include "core/text/pending_text.h"
#include "core/text/pre_tokenizer.h"
#include "core/text/utf8.h"

namespace contrastive::text {
namespace {

// Keeps a word that may continue in the next piece. If it is already too long, keeps only as much
// as shows that, and where it ends.
class WordPieceParts : public PartTokenizer {
 public:
  explicit WordPieceParts(const WordPiece& model) : model_(model) {}

  void take(const NormalizedText& piece, size_t begin, size_t end, TokenSequence& out) override {
    word_.append(piece, begin, end);
    const std::string_view bytes = word_.bytes();
    size_t done = 0;  // the end of the last character that no word spans
    for (size_t at = 0; at < bytes.size();) {
      if (bert_class(decode_valid(bytes, at)) != BertClass::kWord) done = at;
    }
    tokenize(done, out);
    word_.drop(done);
    shorten();
  }

  void finish(TokenSequence& out) override {
    tokenize(word_.size(), out);
    word_.drop(word_.size());
  }

 private:
  void tokenize(size_t end, TokenSequence& out) const {
    split_bert(word_.bytes().substr(0, end),
               [&](size_t from, size_t to) { model_.tokenize(word_.text(), from, to, out); });
  }

  void shorten() {
    const std::string_view bytes = word_.bytes();
    size_t at = 0;
    for (int64_t characters = 0; characters <= model_.longest_word() && at < bytes.size();
         ++characters)
      decode_valid(bytes, at);
    word_.shorten(at);
  }

  const WordPiece& model_;
  PendingText word_;
};

}  // namespace

WordPieceTokenizer::WordPieceTokenizer(TokenizerParts given, const WordPieceOptions& options)
    : PipelineTokenizer(std::move(given), "wordpiece"),
      model_(*parts().vocabulary, options, parts().source) {}

void WordPieceTokenizer::tokenize(const NormalizedText& text, size_t begin, size_t end,
                                  TokenSequence& out) const {
  split_bert(text.bytes.substr(begin, end - begin),
             [&](size_t from, size_t to) { model_.tokenize(text, begin + from, begin + to, out); });
}

std::unique_ptr<PartTokenizer> WordPieceTokenizer::start_part() const {
  return std::make_unique<WordPieceParts>(model_);
}

}  // namespace contrastive::text
