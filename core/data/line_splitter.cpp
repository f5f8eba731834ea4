#include "core/data/line_splitter.h"

#include <algorithm>

#include "core/base/affixes.h"

namespace contrastive::data {
namespace {

constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

}  // namespace

void LineSplitter::feed(std::string_view bytes) {
  buffer_.erase(0, next_);
  offset_ += static_cast<int64_t>(next_);
  searched_ -= next_;
  next_ = 0;
  buffer_.append(bytes);
}

bool LineSplitter::next(Line& line) {
  if (dropping_) {
    const size_t end = buffer_.find('\n', next_);
    dropping_ = end == std::string::npos;
    next_ = searched_ = dropping_ ? buffer_.size() : end + 1;
    if (dropping_) return false;
  }
  if (offset_ + static_cast<int64_t>(next_) == 0 && begins_with(buffer_, kByteOrderMark))
    next_ = searched_ = kByteOrderMark.size();
  const size_t newline = buffer_.find('\n', searched_);
  const bool closed = newline != std::string::npos;
  searched_ = std::min(newline, buffer_.size());
  std::string_view text = std::string_view(buffer_).substr(next_, searched_ - next_);
  // One byte more than the limit may be the CR of the line end.
  dropping_ = !closed && static_cast<int64_t>(text.size()) > kMaxLineBytes + 1;
  if (!closed && !dropping_ && (!ended_ || text.empty())) return false;
  line.number = ++number_;
  line.begin = offset_ + static_cast<int64_t>(next_);
  next_ = searched_ += closed ? 1 : 0;
  if (!text.empty() && text.back() == '\r') text.remove_suffix(1);
  line.too_long = dropping_ || static_cast<int64_t>(text.size()) > kMaxLineBytes;
  line.text = line.too_long ? std::string_view() : text;
  return true;
}

}  // namespace contrastive::data
