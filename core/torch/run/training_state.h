// The state from which a saved run is resumed: training_state/ inside a model folder, with the
// tensors in state.safetensors and everything else, including lengths and checksums, in
// manifest.json.
//
// Each piece of a run writes its own fields and tensors in its save(TrainingState&), and reads them
// in its restore(const TrainingState&). Only that piece knows their names.
#pragma once

#include <cstdint>

#include <string>

#include "core/base/json.h"
#include "core/torch/tensors/tensors.h"

namespace contrastive::run {

struct TrainingState {
  Json fields = Json::object();
  tensors::TorchTensorMap tensors;        // float32 or int64, on the CPU
  std::string source = "training state";  // for errors; includes the folder of a state that was
                                          // read

  JsonObject read() const { return JsonObject(fields, source); }  // the fields, read with checks
  // The tensors of one piece, whose names begin with `prefix`.
  void add_tensors(const std::string& prefix, const tensors::TorchTensorMap& more);
  tensors::TorchTensorMap tensors_under(const std::string& prefix) const;  // without the prefix
};

// A limit above every count in a state.
inline constexpr int64_t kLargestCount = int64_t{1} << 53;

// Writes into `folder`, which exists and is part of a folder that is written atomically.
void write_training_state(const std::string& folder, const TrainingState& state);

bool has_training_state(const std::string& folder);
// kNotFound if `folder` has no state, kCorrupt for a file whose length or SHA-256 differs from the
// manifest, kMismatch for a newer format, kFormat.
TrainingState read_training_state(const std::string& folder);

}  // namespace contrastive::run
