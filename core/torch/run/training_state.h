// What a saved run needs to be resumed: training_state/ inside a model folder, with the tensors in
// state.safetensors and everything else, lengths and checksums included, in manifest.json.
//
// Each piece of a run writes its own fields and tensors in its save(TrainingState&), and reads them
// in its restore(const TrainingState&). Nobody else knows their names.
#pragma once

#include <cstdint>

#include <string>

#include "core/base/json.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {

struct TrainingState {
  Json fields = Json::object();
  tensors::TorchTensorMap tensors;        // float32 or int64, on the CPU
  std::string source = "training state";  // for errors; of a state that was read, with its folder

  JsonObject read() const { return JsonObject(fields, source); }  // the fields, read with checks
  // Tensors of one piece, under names that begin with `prefix`.
  void add_tensors(const std::string& prefix, const tensors::TorchTensorMap& more);
  tensors::TorchTensorMap tensors_under(const std::string& prefix) const;  // without the prefix
};

// Above every count in a state.
inline constexpr int64_t kLargestCount = int64_t{1} << 53;

// Writes into `folder`, which exists and is part of a folder that is written atomically.
void write_training_state(const std::string& folder, const TrainingState& state);

bool has_training_state(const std::string& folder);
// kNotFound where `folder` holds no state, kCorrupt for a file whose length or SHA-256 is not the
// manifest's, kMismatch for a newer format, kFormat.
TrainingState read_training_state(const std::string& folder);

}  // namespace contrastive::run
