// 1_Pooling/config.json: the poolings in sentence-transformers' format, in the booleans of its old
// versions and the names of new ones, and whether that format can express a pooling.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/base/json.h"

namespace contrastive::io {

struct PoolingConfig {
  std::vector<std::string> poolings;  // "cls", "max", "mean", "mean-sqrt", "weightedmean",
                                      // "lasttoken", "last2": concatenated in this order
  int64_t width = 0;                  // of a token embedding; 0 if the file does not say
  bool include_prompt = true;         // false: prompt tokens are omitted
};

// Throws kFormat if no pooling is on (mean is never assumed), and kUnsupported for an unknown one.
PoolingConfig read_pooling_config(const Json& config, const std::string& source);

// Writes the booleans, so that every version can read them, and the new list only if the booleans
// are not enough. Poolings that sentence-transformers does not have (last2, first-last, a single
// layer, ...) are written as the nearest one that it has.
Json write_pooling_config(const PoolingConfig& pooling);
bool poolings_are_expressible(const std::vector<std::string>& poolings);
std::vector<std::string> nearest_expressible(const std::vector<std::string>& poolings);

}  // namespace contrastive::io
