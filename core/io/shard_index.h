// The weight files of a module's folder: model.safetensors, or the shards that
// model.safetensors.index.json names; where there is neither and the caller asks for it,
// pytorch_model.bin or its shards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_reader.h"

namespace contrastive::io {

// Opened weight files and the tensors in them. The sources point into the files.
struct WeightFiles {
  std::vector<std::unique_ptr<TensorFile>> files;
  std::vector<TensorSource> tensors;
};

// kNotFound for a missing shard or no weights at all, kFormat for an index that does not describe
// its shards or leads out of the folder, kUnsupported (with what to do) where there are only
// weights of another kind, pickled ones without `allow_pickle` among them.
WeightFiles open_weight_files(const std::string& folder, bool allow_pickle = false);

}  // namespace contrastive::io
