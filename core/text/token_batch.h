// The token ids of many texts, packed end to end without padding. Everything after the tokenizer
// (embedding lookup, layers, pooling) uses this form. Padding exists only inside an attention
// kernel that needs it.
#pragma once

#include <cstdint>
#include <vector>

namespace contrastive::text {

struct TokenBatch {
  std::vector<int32_t> ids;         // [total_tokens]
  std::vector<int32_t> type_ids;    // [total_tokens] the token type for the encoder: 0, or 1 in the
                                    // second text if the tokenizer distinguishes them
  std::vector<int64_t> offsets{0};  // [texts + 1] text i is ids[offsets[i]] .. ids[offsets[i + 1]]
  std::vector<int32_t> full_lengths;  // [texts] tokens without truncation, with special ones

  int64_t texts() const { return static_cast<int64_t>(offsets.size()) - 1; }
  int64_t tokens() const { return static_cast<int64_t>(ids.size()); }
  int64_t length(int64_t text) const { return offsets[text + 1] - offsets[text]; }
  bool truncated(int64_t text) const { return full_lengths[text] > length(text); }
  void clear() {
    ids.clear();
    type_ids.clear();
    offsets.assign(1, 0);
    full_lengths.clear();
  }
};

}  // namespace contrastive::text
