#include "core/text/normalizer_stream.h"

#include "core/text/utf8.h"

namespace contrastive::text {

NormalizerStream::NormalizerStream(const NormalizerChain& normalizer, std::string_view text,
                                   int64_t shift, bool aligned, size_t size)
    : normalizer_(normalizer), text_(text), place_(shift), aligned_(aligned), size_(size) {}

bool NormalizerStream::next(NormalizedText& out) {
  if (in_run_) {
    if (run_.next(size_, aligned_, out)) return true;
    in_run_ = false;
  }
  if (at_ >= text_.size()) return false;
  bool is_run = false;
  size_t end = piece_end(is_run);
  if (is_run) {
    end = run_end();
    run_ = MarkRun(*normalizer_.single(), text_.substr(at_, end - at_), place_);
    in_run_ = run_.possible();
    if (in_run_) {
      at_ = end;
      place_ += run_.bytes();
      return next(out);
    }
  }
  normalize(end, out);
  return true;
}

size_t NormalizerStream::word_end() const {
  const auto is_word = [](char c) {
    return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  if (!normalizer_.keeps_words()) return text_.size();
  for (size_t at = at_ + size_; at < text_.size(); ++at) {
    if (is_word(text_[at - 1]) && is_word(text_[at])) return at;
  }
  return text_.size();
}

size_t NormalizerStream::piece_end(bool& run) const {
  if (normalizer_.single() == nullptr) return word_end();
  bool open = false;
  size_t safe = at_;
  for (size_t at = at_; at < text_.size();) {
    const size_t begin = at;
    const Normalizer::Order order = normalizer_.single()->order(decode_utf8(text_, at));
    if (!open || order.starts) safe = begin;
    if (safe - at_ >= size_) return safe;
    if (begin - safe >= size_) {
      run = safe == at_;
      return safe;
    }
    open = order.opens || (open && !order.closes);
  }
  return text_.size();
}

size_t NormalizerStream::run_end() const {
  bool open = false;
  for (size_t at = at_; at < text_.size();) {
    const size_t begin = at;
    const Normalizer::Order order = normalizer_.single()->order(decode_utf8(text_, at));
    if (begin > at_ && (!open || order.starts)) return begin;
    open = order.opens || (open && !order.closes);
  }
  return text_.size();
}

void NormalizerStream::normalize(size_t end, NormalizedText& out) {
  piece_.assign(text_.substr(at_, end - at_));
  at_ = end;
  std::string_view piece = piece_;
  if (valid_utf8_prefix(piece) != piece.size()) {
    repaired_.clear();
    for (size_t at = 0; at < piece.size();) append_utf8(decode_utf8(piece, at), repaired_);
    piece = repaired_;
  }
  normalizer_.normalize(piece, place_, aligned_, out);
  place_ += static_cast<int64_t>(piece.size());
}

}  // namespace contrastive::text
