// The tokens of one text while it is being tokenised. The models in this folder append to it.
#pragma once

#include <cstdint>
#include <limits>
#include <vector>

namespace contrastive::text {

struct TokenSequence {
  std::vector<int32_t> ids;
  std::vector<int64_t> begins, ends;  // filled if `aligned`: the bytes that each token came from
  bool aligned = false;
  bool keeps_end = false;  // truncation keeps the end of the text, not its beginning
  int64_t keep = std::numeric_limits<int64_t>::max();  // settle() keeps this many tokens
  int64_t dropped = 0;                                 // and counts the others

  void clear() {
    dropped = 0;
    ids.clear();
    begins.clear();
    ends.clear();
  }
  void add(int32_t id, int64_t begin, int64_t end) {
    ids.push_back(id);
    begins.push_back(begin);
    ends.push_back(end);
  }
  int64_t full_length() const { return dropped + static_cast<int64_t>(ids.size()); }
  // Removes the tokens that will not be kept, so that a long text needs no memory for them.
  void settle() {
    const auto size = static_cast<int64_t>(ids.size());
    // Erasing at the front moves the rest, so wait until at least as many tokens can be erased.
    if (size <= keep || (keeps_end && size < 2 * keep)) return;
    dropped += size - keep;
    truncate(keep);
  }
  // Keeps only `length` tokens.
  void truncate(int64_t length) {
    const auto size = static_cast<int64_t>(ids.size());
    if (!keeps_end || size <= length) return cut(length);
    ids.erase(ids.begin(), ids.end() - length);
    if (!aligned) return;
    begins.erase(begins.begin(), begins.end() - length);
    ends.erase(ends.begin(), ends.end() - length);
  }
  // Keeps only the first `length` tokens.
  void cut(int64_t length) {
    const auto size = static_cast<size_t>(length);
    if (ids.size() <= size) return;
    ids.resize(size);
    if (!aligned) return;
    begins.resize(size);
    ends.resize(size);
  }
};

}  // namespace contrastive::text
