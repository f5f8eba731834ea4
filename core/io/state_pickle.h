// Parses the pickle of a state dict, as torch.save writes it. The parser knows only the operations
// and classes that such a file needs. It calls nothing and creates only names, numbers and views of
// storages. A class that is not on its list is an error that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::io {

// One tensor of a state dict: a view of a storage outside the pickle. It has not been checked
// against that storage.
struct PickledTensor {
  std::string name;
  std::string dtype;    // "F32", ...: the names of safetensors
  std::string storage;  // its key: the name of its record in the folder data
  int64_t storage_elements = 0;
  int64_t first = 0;                    // in elements of the storage
  std::vector<int64_t> shape, strides;  // of the same length; strides in elements
};

// The tensors in the order of the file. kFormat, kUnsupported and kLimit name `source`, the byte,
// and the operation or class that is refused.
std::vector<PickledTensor> parse_state_pickle(std::string_view bytes, const std::string& source);

}  // namespace contrastive::io
