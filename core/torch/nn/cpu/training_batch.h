// What the layers of one training pass share: the encoder's shape, the offsets of the texts, and
// the dropout.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/torch/nn/dropout.h"
#include "core/torch/nn/torch_weights.h"

namespace contrastive::nn {

// Whether the kernels compute everything that the architecture needs; otherwise LibTorch's
// operations train it.
bool kernels_train(const Architecture& architecture);

struct TrainingBatch {
  Architecture architecture;
  std::vector<int64_t> offsets;  // [texts + 1]
  Dropout dropout;

  int64_t tokens() const { return offsets.back(); }
  int64_t texts() const { return static_cast<int64_t>(offsets.size()) - 1; }
};
using TrainingBatchPtr = std::shared_ptr<const TrainingBatch>;

}  // namespace contrastive::nn
