// pytorch_model.bin: the tensors of a state dict that torch.save wrote, read where they lie in the
// file. The zip around them is stored_zip's business, the pickle state_pickle's; what both say is
// compared here with the storages that are really there.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/io/stored_zip.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {

// Its entries stand in the order of the state dict; several may share a storage. verify() compares
// a storage with its CRC-32 once.
class PickledCheckpoint : public TensorFile {
 public:
  // The errors of TensorFile, read_stored_zip and parse_state_pickle; kUnsupported for files of
  // torch before 1.6, TorchScript and big-endian numbers; kFormat for a tensor that leaves its
  // storage; kLimit where the tensors are many times larger than the file.
  explicit PickledCheckpoint(std::string path);

  void verify(const TensorEntry& entry) const override;

 private:
  std::vector<ZipEntry> records_;  // the storages that tensors have
  std::vector<size_t> record_of_;  // of each of entries()
  bool checksums_ = false;         // torch can be told to write none
  std::unique_ptr<std::atomic<bool>[]> verified_;
};

}  // namespace contrastive::io
