// What a run needs to go on later: training_state/ inside a model folder, with the tensors in
// state.safetensors and everything else, lengths and checksums included, in manifest.json. What the
// fields mean is the trainer's business.
#pragma once

#include <string>

#include "core/base/json.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {

struct TrainingState {
  Json fields = Json::object();
  tensors::TorchTensorMap tensors;  // float32 or int64, on the CPU
};

// Writes into `folder`, which exists: a part of a folder that is being written atomically.
void write_training_state(const std::string& folder, const TrainingState& state);

bool has_training_state(const std::string& folder);
// kNotFound where `folder` holds no state, kCorrupt for a file whose length or SHA-256 is not the
// manifest's, kMismatch for a newer format, kFormat.
TrainingState read_training_state(const std::string& folder);

}  // namespace contrastive::run
