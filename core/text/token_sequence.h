// The tokens of one text while it is being tokenised: what the models of this folder append to.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::text {

struct TokenSequence {
  std::vector<int32_t> ids;
  std::vector<int64_t> begins, ends;  // filled when `aligned`: the bytes that each token came from
  bool aligned = false;

  void clear() {
    ids.clear();
    begins.clear();
    ends.clear();
  }
  void add(int32_t id, int64_t begin, int64_t end) {
    ids.push_back(id);
    begins.push_back(begin);
    ends.push_back(end);
  }
  // Only the first `length` tokens remain.
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
