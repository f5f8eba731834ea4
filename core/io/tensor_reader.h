// The data of files of tensors as float32 tensors: read into memory of their own (or mapped, where
// the caller asks for it), widened from half precision, and searched for NaN and infinity in the
// same pass while the bytes are in the cache.
#pragma once

#include <string>
#include <vector>

#include "core/base/tensor.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {

struct TensorSource {
  const TensorFile* file = nullptr;
  const TensorEntry* entry = nullptr;  // of `file`
};

struct TensorReadOptions {
  bool allow_non_finite = false;
  // Maps the file privately instead of reading it: float32 tensors alias the mapping (writes stay
  // in this process). A file that somebody truncates afterwards kills the process, hence never the
  // default.
  bool memory_map = false;
  bool whole_numbers = false;  // I64 tensors are read as int64 instead of being refused: training
                               // state has some, encoders have none
};

// One float32 CPU tensor for each source, in their order; two threads share the work. kUnsupported
// for elements that are not floating point, kNumeric with tensor and count for NaN or infinity,
// kCorrupt when a file became shorter since its header was read or does not have its checksums.
std::vector<Tensor> read_tensors(const std::vector<TensorSource>& sources,
                                 const TensorReadOptions& options = {});

// All tensors of one safetensors file.
TensorMap read_safetensors(const std::string& path, const TensorReadOptions& options = {});

}  // namespace contrastive::io
