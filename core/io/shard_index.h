// The weight files of a transformer folder: model.safetensors, or the shards that model.safetensors.index.json names.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_reader.h"

namespace contrastive::io {

// Opened weight files and the tensors in them. The sources point into the files.
struct WeightFiles {
  std::vector<std::unique_ptr<SafetensorsFile>> files;
  std::vector<TensorSource> tensors;
};

// kNotFound for a missing shard or no weights at all, kFormat for an index that does not describe its shards or leads out of the folder,
// kUnsupported (with how to convert) where there are only pickle or other foreign weights.
WeightFiles open_weight_files(const std::string& folder);

// Throws kUnsupported, saying how to convert, when `folder` holds weights of a kind that is not read.
void refuse_foreign_weights(const std::string& folder);

}  // namespace contrastive::io
