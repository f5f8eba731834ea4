// What the layers of one training pass share: the encoder's shape, where the texts lie, and which dropout is in force.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/nn/dropout.h"
#include "core/nn/weights.h"

namespace contrastive::nn {

struct TrainingBatch {
  EncoderOptions options;
  std::vector<int64_t> offsets;  // [texts + 1]
  Dropout dropout;

  int64_t tokens() const { return offsets.back(); }
  int64_t texts() const { return static_cast<int64_t>(offsets.size()) - 1; }
};
using TrainingBatchPtr = std::shared_ptr<const TrainingBatch>;

}  // namespace contrastive::nn
