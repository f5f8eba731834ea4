// The ids of a text by both ways through a tokenizer.
#pragma once

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

#include "core/text/tokenizer.h"

namespace contrastive::text {

inline std::vector<int32_t> ids(const Tokenizer& tokenizer, std::string_view text,
                                int64_t max_length = 0) {
  TokenBatch batch;
  tokenizer.append(text, max_length, batch);
  EXPECT_EQ(batch.ids, tokenizer.encode(text, max_length).ids);
  return batch.ids;
}

}  // namespace contrastive::text
