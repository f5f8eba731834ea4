// The directory of a zip file whose entries are stored and not compressed, as torch.save writes
// them. Nothing is unpacked: an entry is a place in the file, and every place is checked against
// the file's length and against all others.
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
  uint32_t crc = 0;  // CRC-32 of its bytes, as the file has it
};

// The entries by their names, zip64 too. kFormat with what is wrong where the file is cut short or
// is no zip, where an entry leaves it, overlaps another, stands twice or is called differently at
// its own place; kUnsupported for a compressed or encrypted one; kLimit.
std::vector<ZipEntry> read_stored_zip(const TensorFile& file);

// The CRC-32 of bytes of the file.
uint32_t crc_of(const TensorFile& file, int64_t offset, int64_t bytes);

}  // namespace contrastive::io
