// 1_Pooling/config.json: how sentence-transformers states the poolings, in the booleans of its old
// versions and the names of today's, and what it cannot state.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

struct PoolingConfig {
  std::vector<std::string> poolings;  // "cls", "max", "mean", "mean-sqrt", "weightedmean",
                                      // "lasttoken", "last2": concatenated in this order
  int64_t width = 0;                  // of a token embedding, as stated; 0 when it is not
  bool include_prompt = true;         // false: prompt tokens are left out
};

// kFormat when no pooling is on (mean is never assumed), kUnsupported for an unknown one.
PoolingConfig read_pooling_config(const Json& config, const std::string& source);

// The booleans, so that every version reads them; today's list where only that can say it. Poolings
// without a name in sentence-transformers (last2, first-last, a single layer, ...) are written as
// the nearest that has one.
Json write_pooling_config(const PoolingConfig& pooling);
bool poolings_are_expressible(const std::vector<std::string>& poolings);
std::vector<std::string> nearest_expressible(const std::vector<std::string>& poolings);

}  // namespace contrastive::io
