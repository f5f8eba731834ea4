// Which texts of a dataset stand in several of its examples: what data.duplicates = apart keeps out
// of one batch.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "core/data/dataset.h"

namespace contrastive::data {

class SharedTexts {
 public:
  // Reads every example once: its texts and its hard negatives.
  explicit SharedTexts(const Dataset& data);

  // The texts of an example that other examples have too, as numbers from 0 to count() - 1. Those
  // of one example alone are none.
  std::vector<int64_t> of(int64_t example) const;
  int64_t count() const { return count_; }

 private:
  std::vector<std::pair<int64_t, int64_t>> texts_;  // (example, text), in order
  int64_t count_ = 0;
};

}  // namespace contrastive::data
