// Finds the texts that occur in several examples of a dataset. data.duplicates = apart does not
// allow two examples that share one in the same batch.
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

  // The texts of an example that also occur in other examples, as numbers from 0 to count() - 1.
  // Texts that occur in only one example are omitted.
  std::vector<int64_t> of(int64_t example) const;
  int64_t count() const { return count_; }

 private:
  std::vector<std::pair<int64_t, int64_t>> texts_;  // (example, text), sorted
  int64_t count_ = 0;
};

}  // namespace contrastive::data
