#include "core/text/long_piece.h"

#include <algorithm>

namespace contrastive::text {

// Whether the window that begins at `boundary`, after the first `count` tokens, continues them.
// next_ receives its tokens.
bool LongPiece::join(std::string_view rest, size_t count, size_t boundary) {
  model_.compute(rest.substr(boundary, next_window_), next_);
  const Bpe::Part left = tokens_[count - 1], right = next_.front();
  model_.compute(rest.substr(boundary - left.length, size_t{left.length} + right.length), pair_);
  return pair_.size() == 2 && pair_[0].id == left.id && pair_[0].length == left.length &&
         pair_[1].id == right.id;
}

size_t LongPiece::advance(std::string_view rest, bool ended, std::vector<Bpe::Part>& done) {
  done.clear();
  if (rest.size() < window_ && !ended) return 0;
  if (tokens_.empty()) {
    model_.compute(rest.substr(0, window_), tokens_);
    covered_ = std::min(window_, rest.size());
  }
  while (covered_ < rest.size()) {
    if (!ended && rest.size() < covered_ + next_window_) return 0;
    // Try the boundaries in the middle half, the one nearest to three quarters first: the more text
    // comes after it, the likelier it is to fit.
    size_t boundary = covered_, count = tokens_.size();
    const auto back = [&] { boundary -= tokens_[--count].length; };
    while (count > 1 && boundary > covered_ / 4 * 3) back();
    for (int tries = 0; tries < 8 && count > 0 && boundary > 0; ++tries) {
      if (join(rest, count, boundary)) {
        done.assign(tokens_.begin(), tokens_.begin() + static_cast<std::ptrdiff_t>(count));
        tokens_.swap(next_);
        covered_ = std::min(next_window_, rest.size() - boundary);
        next_window_ = window_;
        return boundary;
      }
      for (const size_t stop = boundary - std::min(boundary, covered_ / 16);
           count > 1 && boundary > stop;)
        back();
    }
    if (ended && next_window_ >= rest.size()) {
      model_.compute(rest, tokens_);
      covered_ = rest.size();
    }
    next_window_ *= 2;
  }
  if (!ended) return 0;
  done.swap(tokens_);
  tokens_.clear();
  covered_ = 0;
  next_window_ = window_;
  return rest.size();
}

}  // namespace contrastive::text
