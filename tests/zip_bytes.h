// Builds zip files with the layout of torch.save: stored entries, in which a test can falsify each
// field.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive {

inline std::string little_endian(uint64_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += i < 8 ? static_cast<char>(value >> (8 * i) & 0xff) : '\0';
  return text;
}

struct ZipPart {
  std::string name, data;
  std::string local_name = {};  // "": the same
  uint16_t flags = 0, method = 0;
  int64_t claimed = -1;   // bytes; below 0: the true number
  int64_t header = -1;    // the stated start of the directory; below 0: the true one
  bool zip64 = false;     // its numbers are in the zip64 field
  int64_t wrong_crc = 0;  // is added to it
};

struct ZipEnd {
  bool zip64 = false;
  int64_t entries = 0, offset = 0, bytes = 0;  // are added to the right value
};

inline std::string zip_bytes(const std::vector<ZipPart>& parts, const ZipEnd& end = {}) {
  std::string file, directory;
  for (const ZipPart& part : parts) {
    const uLong sum = crc32(crc32(0, nullptr, 0), reinterpret_cast<const Bytef*>(part.data.data()),
                            static_cast<uInt>(part.data.size()));
    const std::string crc = little_endian(sum + static_cast<uint64_t>(part.wrong_crc), 4),
                      &local = part.local_name.empty() ? part.name : part.local_name;
    const uint64_t size = part.claimed < 0 ? part.data.size() : static_cast<uint64_t>(part.claimed),
                   own = file.size();
    const uint64_t place = part.header < 0 ? own : static_cast<uint64_t>(part.header);
    const std::string kind =
        little_endian(part.flags, 2) + little_endian(part.method, 2) + little_endian(0, 4) + crc;
    file += "PK\x03\x04" + little_endian(0, 2) + kind + little_endian(size, 4) +
            little_endian(size, 4) + little_endian(local.size(), 2) + little_endian(0, 2) + local +
            part.data;
    const uint64_t in_field = 0xffffffff;
    const std::string field = little_endian(1, 2) + little_endian(24, 2) + little_endian(size, 8) +
                              little_endian(size, 8) + little_endian(place, 8);
    const std::string extra = part.zip64 ? field : "",
                      short_size = little_endian(part.zip64 ? in_field : size, 4);
    directory += "PK\x01\x02" + little_endian(0, 4) + kind + short_size + short_size +
                 little_endian(part.name.size(), 2) + little_endian(extra.size(), 2) +
                 little_endian(0, 10) + little_endian(part.zip64 ? in_field : place, 4) +
                 part.name + extra;
  }
  const uint64_t entries = parts.size() + static_cast<uint64_t>(end.entries),
                 offset = file.size() + static_cast<uint64_t>(end.offset),
                 bytes = directory.size() + static_cast<uint64_t>(end.bytes);
  file += directory;
  if (end.zip64) {
    const uint64_t place = file.size();
    file += "PK\x06\x06" + little_endian(44, 8) + little_endian(45, 2) + little_endian(45, 2) +
            little_endian(0, 8) + little_endian(entries, 8) + little_endian(entries, 8) +
            little_endian(bytes, 8) + little_endian(offset, 8);
    file += "PK\x06\x07" + little_endian(0, 4) + little_endian(place, 8) + little_endian(1, 4);
  }
  const uint64_t short_entries = end.zip64 ? 0xffff : entries, in_zip64 = 0xffffffff;
  file += "PK\x05\x06" + little_endian(0, 4) + little_endian(short_entries, 2) +
          little_endian(short_entries, 2) + little_endian(end.zip64 ? in_zip64 : bytes, 4) +
          little_endian(end.zip64 ? in_zip64 : offset, 4) + little_endian(0, 2);
  return file;
}

}  // namespace contrastive
