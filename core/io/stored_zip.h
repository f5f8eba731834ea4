// Reads the directory of a zip file whose entries are stored without compression, as torch.save
// writes it. Nothing is unpacked: an entry is a range of the file. Every range is checked against
// the file's length and against all other entries.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/io/tensor_file.h"

namespace contrastive::io {

struct ZipEntry {
  std::string name;
  int64_t offset = 0;  // of its first byte in the file
  int64_t bytes = 0;
  uint32_t crc = 0;  // CRC-32 of its bytes, according to the file
};

// The entries by name, also of zip64 files. Throws kFormat with the reason if the file is truncated
// or is not a zip, or if an entry is outside the file, overlaps another, occurs twice or has
// another name in its local header; kUnsupported for a compressed or encrypted entry; kLimit.
std::vector<ZipEntry> read_stored_zip(const TensorFile& file);

// The CRC-32 of a range of the file.
uint32_t crc_of(const TensorFile& file, int64_t offset, int64_t bytes);

}  // namespace contrastive::io
