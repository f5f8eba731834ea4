// pytorch_model.bin: reads the tensors of a state dict that torch.save wrote, directly from the
// file. stored_zip reads the zip directory, state_pickle the pickle; this file checks both against
// the storages that actually exist.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "core/io/stored_zip.h"
#include "core/io/tensor_file.h"

namespace contrastive::io {

// Entries are in the order of the state dict. Several may share a storage. verify() checks the
// CRC-32 of each storage once.
class PickledCheckpoint : public TensorFile {
 public:
  // Throws the errors of TensorFile, read_stored_zip and parse_state_pickle; kUnsupported for files
  // of torch before 1.6, TorchScript and big-endian numbers; kFormat for a tensor that leaves its
  // storage; kLimit if the tensors are many times larger than the file.
  explicit PickledCheckpoint(std::string path);

  void verify(const TensorEntry& entry) const override;

 private:
  std::vector<ZipEntry> records_;  // the storages that tensors use
  std::vector<size_t> record_of_;  // index in records_ for each of entries()
  bool checksums_ = false;         // torch can be configured to write none
  std::unique_ptr<std::atomic<bool>[]> verified_;
};

}  // namespace contrastive::io
