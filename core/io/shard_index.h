// The weight files of a module's folder: model.safetensors, or the shards listed in
// model.safetensors.index.json. If there is neither and the caller allows it: pytorch_model.bin or
// its shards.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/io/tensor_reader.h"

namespace contrastive::io {

// Open weight files and the tensors in them. The sources point into the files.
struct WeightFiles {
  std::vector<std::unique_ptr<TensorFile>> files;
  std::vector<TensorSource> tensors;
};

// Throws kNotFound for a missing shard or no weights at all; kFormat for an index that does not
// describe its shards or that leads out of the folder; kUnsupported, with advice, if there are only
// weights in another format, including pickled ones without `allow_pickle`.
WeightFiles open_weight_files(const std::string& folder, bool allow_pickle = false);

}  // namespace contrastive::io
