// The tokens of one text while it is being tokenised: what the models of this folder append to.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::text {

struct TokenSequence {
  std::vector<int32_t> ids;
  std::vector<int64_t> begins, ends;  // filled when `aligned`: the bytes that each token came from
  bool aligned = false;
  // Hugging Face stops tokenising at the first word end at or behind its length limit, and the longer of two texts is told by what it has then.
  int64_t stop_at = 0;   // 0: no limit
  int64_t stopped = -1;  // tokens at that word end, -1 while it is not reached

  void clear() {
    ids.clear();
    begins.clear();
    ends.clear();
    stopped = -1;
  }
  void add(int32_t id, int64_t begin, int64_t end) {
    ids.push_back(id);
    begins.push_back(begin);
    ends.push_back(end);
  }
  void end_word() {
    if (stop_at > 0 && stopped < 0 && static_cast<int64_t>(ids.size()) >= stop_at) stopped = static_cast<int64_t>(ids.size());
  }
};

}  // namespace contrastive::text
