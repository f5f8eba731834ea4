// Which ids of a vocabulary are special tokens and which are ordinary text: which tokens may be
// masked, and which may replace them.
#pragma once

#include <cstdint>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::text {

struct TokenRoles {
  SpecialIds special;
  std::vector<uint8_t> is_special;  // [vocab] 1 for special tokens and for ids without a token
  std::vector<int32_t> ordinary;    // all other ids, in ascending order

  explicit TokenRoles(const Tokenizer& tokenizer) : special(tokenizer.special_ids()) {
    const int64_t size = tokenizer.vocab_size();
    is_special.assign(static_cast<size_t>(size), 0);
    for (int64_t i = 0; i < size; ++i) {
      const auto id = static_cast<int32_t>(i);
      const bool role = id == special.pad || id == special.unk || id == special.cls ||
                        id == special.sep || id == special.mask;
      if (role || tokenizer.is_special(id) || tokenizer.token(id).empty()) {
        is_special[static_cast<size_t>(i)] = 1;
      } else {
        ordinary.push_back(id);
      }
    }
  }
  // [UNK] is special, but represents text: it is never inserted, but may be masked.
  bool stands_for_text(int32_t id) const {
    return id == special.unk || is_special[static_cast<size_t>(id)] == 0;
  }
};

}  // namespace contrastive::text
