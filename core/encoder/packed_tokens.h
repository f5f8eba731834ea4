// The input of the encoder: the token ids of several texts end to end, without padding. It is a
// view; the caller keeps the arrays alive.
#pragma once

#include <cstdint>
#include <vector>

#include "core/encoder/architecture.h"

namespace contrastive::encoder {

struct PackedTokens {
  const int32_t* ids = nullptr;       // [tokens]
  const int32_t* type_ids = nullptr;  // [tokens], or nullptr for all 0
  const int64_t* offsets =
      nullptr;  // [texts + 1] text i is [offsets[i], offsets[i + 1]); offsets[0] is 0
  int64_t texts = 0;
  // [tokens] the position of each token in its text, counted from 0, or kOwnPlace for its normal
  // position; nullptr: all have their normal position. ConSERT's shuffling permutes these and
  // nothing else.
  const int32_t* positions = nullptr;
  static constexpr int32_t kOwnPlace = INT32_MIN;

  int64_t tokens() const { return texts == 0 ? 0 : offsets[texts]; }
  int64_t length(int64_t text) const { return offsets[text + 1] - offsets[text]; }
  std::vector<int64_t> boundaries() const {
    return {offsets, offsets + texts + 1};
  }  // a copy of offsets
};

// [tokens] the position of each token in its text.
std::vector<int32_t> places(const PackedTokens& tokens);

// [tokens] the row of the table of learned positions for each token: first_position + position.
// With skips_padding, normal positions count only the tokens that are not padding, and padding,
// which a text may contain literally, gets the row of its id: transformers' cumsum(id != pad) * (id
// != pad) + pad.
std::vector<int32_t> position_rows(const Architecture& architecture, const PackedTokens& tokens);

// Throws kArgument for an id, type or length that the encoder has no row for. Checked here because
// a bad id on a GPU would make CUDA unusable for the whole process.
void check_tokens(const Architecture& architecture, const PackedTokens& tokens);

}  // namespace contrastive::encoder
