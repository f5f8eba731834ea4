// The pickle of a state dict, as torch.save writes it: a machine that knows the few operations and
// the few classes that such a file needs, and nothing else. It calls nothing and makes nothing but
// names, numbers and views of storages: a class that is not on its list is an error that names it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::io {

// One tensor of a state dict: a view of a storage that lies beside the pickle. Nothing of it has
// been compared with that storage.
struct PickledTensor {
  std::string name;
  std::string dtype;    // "F32", ...: as safetensors names them
  std::string storage;  // its key: the name of its record in the folder data
  int64_t storage_elements = 0;
  int64_t first = 0;                    // element of the storage
  std::vector<int64_t> shape, strides;  // equally long; strides in elements
};

// The tensors in the order of the file. kFormat, kUnsupported and kLimit name `source`, the byte,
// and the operation or class that is refused.
std::vector<PickledTensor> parse_state_pickle(std::string_view bytes, const std::string& source);

}  // namespace contrastive::io
