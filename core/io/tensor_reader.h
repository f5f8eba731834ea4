// Reads the data of tensor files as float32 tensors: into new memory, or as a mapping if the caller
// requests it. Widens half precision, and checks for NaN and infinity in the same pass while the
// bytes are in the cache.
#pragma once

#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {

struct TensorSource {
  const TensorFile* file = nullptr;
  const TensorEntry* entry = nullptr;  // in `file`
};

struct TensorReadOptions {
  bool allow_non_finite = false;
  // Maps the file privately instead of reading it: float32 tensors point into the mapping, and
  // writes stay in this process. Not the default, because truncating the file afterwards kills the
  // process.
  bool memory_map = false;
  bool whole_numbers = false;  // I64 tensors are read as int64 instead of being refused: training
                               // state has some, encoders have none
};

// One float32 CPU tensor for each source, in their order. Two threads share the work. Throws
// kUnsupported for elements that are not floating point, kNumeric with tensor and count for NaN or
// infinity, and kCorrupt if a file became shorter since its header was read or does not match its
// checksums.
std::vector<Tensor> read_tensors(const std::vector<TensorSource>& sources,
                                 const TensorReadOptions& options = {});

// Reads all tensors of a safetensors file.
TensorMap read_safetensors(const std::string& path, const TensorReadOptions& options = {});

}  // namespace contrastive::io
