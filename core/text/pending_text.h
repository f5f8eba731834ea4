// A buffer of normalised text that arrived piece by piece and has not been tokenised yet.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "core/text/normalizer.h"

namespace contrastive::text {

class PendingText {
 public:
  PendingText() = default;
  PendingText(const PendingText&) = delete;  // `bytes` points into it
  PendingText& operator=(const PendingText&) = delete;

  const NormalizedText& text() const { return text_; }
  std::string_view bytes() const { return text_.bytes; }
  size_t size() const { return text_.bytes.size(); }

  void append(const NormalizedText& piece, size_t begin, size_t end) {
    text_.storage.append(piece.bytes.substr(begin, end - begin));
    text_.bytes = text_.storage;
    if (piece.begins.empty()) return;
    text_.begins.insert(text_.begins.end(), place(piece.begins, begin), place(piece.begins, end));
    text_.ends.insert(text_.ends.end(), place(piece.ends, begin), place(piece.ends, end));
  }
  // Removes the first `size` bytes.
  void drop(size_t size) {
    text_.storage.erase(0, size);
    text_.bytes = text_.storage;
    if (text_.begins.empty()) return;
    text_.begins.erase(text_.begins.begin(), place(text_.begins, size));
    text_.ends.erase(text_.ends.begin(), place(text_.ends, size));
  }
  // Keeps only the first `size` > 0 bytes. The last of them then ends where the last byte ended.
  void shorten(size_t size) {
    if (size >= text_.bytes.size()) return;
    text_.storage.resize(size);
    text_.bytes = text_.storage;
    if (text_.begins.empty()) return;
    text_.begins.resize(size);
    text_.ends[size - 1] = text_.ends.back();
    text_.ends.resize(size);
  }

 private:
  static std::vector<int64_t>::const_iterator place(const std::vector<int64_t>& places, size_t at) {
    return places.begin() + static_cast<std::ptrdiff_t>(at);
  }

  NormalizedText text_;
};

}  // namespace contrastive::text
