#include "core/io/stored_zip.h"

#include <zlib.h>

#include <algorithm>
#include <string_view>

#include "core/base/error.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxDirectory = int64_t{64} << 20;
constexpr int64_t kEndBytes = 22, kEnd64Bytes = 56, kLocatorBytes = 20, kCentralBytes = 46,
                  kLocalBytes = 30;
constexpr uint64_t kEndMark = 0x06054b50, kEnd64Mark = 0x06064b50, kLocatorMark = 0x07064b50,
                   kCentralMark = 0x02014b50, kLocalMark = 0x04034b50;
constexpr uint64_t kIn64 =
    0xffffffff;  // the value of a 32-bit field whose number is in the zip64 field
constexpr uint64_t kEncrypted = 1, kSizesBehind = 8;

// A little-endian number.
uint64_t number(std::string_view bytes, int64_t place, int width) {
  uint64_t value = 0;
  for (int i = width - 1; i >= 0; --i)
    value = value << 8 | static_cast<unsigned char>(bytes[static_cast<size_t>(place + i)]);
  return value;
}

std::string read_bytes(const TensorFile& file, int64_t offset, int64_t bytes) {
  std::string text(static_cast<size_t>(bytes), '\0');
  file.read(text.data(), bytes, offset);
  return text;
}

struct Directory {
  uint64_t entries, bytes, offset;
};

Directory find_directory(const TensorFile& file) {
  const std::string& path = file.path();
  check(file.bytes() >= kEndBytes, Status::kFormat, path, ": ", file.bytes(),
        " bytes are too few for a zip file, which torch.save writes");
  const std::string end = read_bytes(file, file.bytes() - kEndBytes, kEndBytes);
  check(number(end, 0, 4) == kEndMark, Status::kFormat, path,
        ": the end of a zip file is missing: it is cut short, or torch.save did not write it");
  check(number(end, 4, 2) == 0 && number(end, 6, 2) == 0 && number(end, 8, 2) == number(end, 10, 2),
        Status::kUnsupported, path, ": a zip file in several parts is not read");
  Directory directory{number(end, 10, 2), number(end, 12, 4), number(end, 16, 4)};
  int64_t behind = file.bytes() - kEndBytes;
  const bool has_locator =
      behind >= kLocatorBytes &&
      number(read_bytes(file, behind - kLocatorBytes, 4), 0, 4) == kLocatorMark;
  if (has_locator) {
    const std::string locator = read_bytes(file, behind - kLocatorBytes, kLocatorBytes);
    behind -= kLocatorBytes + kEnd64Bytes;
    const bool fits = behind >= 0 && number(locator, 8, 8) == static_cast<uint64_t>(behind);
    const std::string end64 =
        fits ? read_bytes(file, behind, kEnd64Bytes) : std::string(kEnd64Bytes, '\0');
    check(number(end64, 0, 4) == kEnd64Mark, Status::kFormat, path,
          ": the zip64 end of the directory is not where its locator says");
    check(number(end64, 16, 4) == 0 && number(end64, 20, 4) == 0 &&
              number(end64, 24, 8) == number(end64, 32, 8),
          Status::kUnsupported, path, ": a zip file in several parts is not read");
    directory = {number(end64, 32, 8), number(end64, 40, 8), number(end64, 48, 8)};
  }
  check(directory.bytes <= static_cast<uint64_t>(kMaxDirectory), Status::kLimit, path,
        ": a directory of ", directory.bytes, " bytes, above the limit of ", kMaxDirectory);
  const auto before = static_cast<uint64_t>(behind);
  check(directory.offset <= before && directory.bytes == before - directory.offset, Status::kFormat,
        path, ": the directory of ", directory.bytes, " bytes at byte ", directory.offset,
        " does not end where the end of the file begins, at ", before);
  check(directory.entries <= directory.bytes / static_cast<uint64_t>(kCentralBytes),
        Status::kFormat, path, ": ", directory.entries, " entries do not fit into a directory of ",
        directory.bytes, " bytes");
  return directory;
}

// One entry of the directory with its 64-bit numbers, and the offset of its local header.
struct Central {
  ZipEntry entry;
  uint64_t flags = 0, header = 0;
};

// The numbers in the zip64 field, in the order in which they are needed.
class Zip64Field {
 public:
  Zip64Field(std::string_view extra, const std::string& where) : where_(where) {
    while (extra.size() >= 4) {
      const uint64_t id = number(extra, 0, 2), bytes = number(extra, 2, 2);
      check(bytes <= extra.size() - 4, Status::kFormat, where_, ": its extra field is cut short");
      if (id == 1) rest_ = extra.substr(4, bytes);
      extra.remove_prefix(4 + bytes);
    }
  }
  uint64_t resolve(uint64_t short_form) {
    if (short_form != kIn64) return short_form;
    check(rest_.size() >= 8, Status::kFormat, where_, ": its zip64 field is missing a number");
    const uint64_t value = number(rest_, 0, 8);
    rest_.remove_prefix(8);
    return value;
  }

 private:
  const std::string& where_;
  std::string_view rest_;
};

// Removes one entry from the front of the directory.
Central take_central(std::string_view& directory, const std::string& path) {
  const bool whole = directory.size() >= static_cast<size_t>(kCentralBytes) &&
                     number(directory, 0, 4) == kCentralMark;
  check(whole, Status::kFormat, path, ": the zip directory contains something other than entries");
  const uint64_t name = number(directory, 28, 2), extra = number(directory, 30, 2),
                 comment = number(directory, 32, 2);
  check(name + extra + comment <= directory.size() - kCentralBytes, Status::kFormat, path,
        ": an entry of the zip directory is cut short");
  Central central;
  central.entry.name = directory.substr(kCentralBytes, name);
  const std::string where = path + ": entry '" + central.entry.name.substr(0, 100) + "'";
  central.flags = number(directory, 8, 2);
  check((central.flags & kEncrypted) == 0, Status::kUnsupported, where, " is encrypted");
  check(number(directory, 10, 2) == 0, Status::kUnsupported, where,
        " is compressed; torch.save stores its entries, and only stored ones are read");
  check(number(directory, 34, 2) == 0, Status::kUnsupported, where,
        " is in another part of the zip file");
  Zip64Field field(directory.substr(kCentralBytes + name, extra), where);
  const uint64_t unpacked = field.resolve(number(directory, 24, 4)),
                 packed = field.resolve(number(directory, 20, 4));
  central.header = field.resolve(number(directory, 42, 4));
  check(unpacked == packed, Status::kFormat, where, " is stored, but has two sizes: ", packed,
        " and ", unpacked);
  check(packed <= static_cast<uint64_t>(kAnySize), Status::kFormat, where, " claims ", packed,
        " bytes");
  central.entry.bytes = static_cast<int64_t>(packed);
  central.entry.crc = static_cast<uint32_t>(number(directory, 16, 4));
  directory.remove_prefix(kCentralBytes + name + extra + comment);
  return central;
}

// Finds the entry's bytes after its local header, which must match the directory. `limit`: where
// the directory begins.
void locate(const TensorFile& file, uint64_t limit, Central& central) {
  ZipEntry& entry = central.entry;
  const std::string where = file.path() + ": entry '" + entry.name.substr(0, 100) + "'";
  const auto leaves = [&](uint64_t from, uint64_t bytes) {
    check(from <= limit && bytes <= limit - from, Status::kFormat, where, " would end behind byte ",
          limit, ", where the directory begins: the file is cut short or malformed");
  };
  leaves(central.header, kLocalBytes);
  const std::string fixed = read_bytes(file, static_cast<int64_t>(central.header), kLocalBytes);
  check(number(fixed, 0, 4) == kLocalMark, Status::kFormat, where, " has no header at byte ",
        central.header);
  const uint64_t name = number(fixed, 26, 2),
                 begin = central.header + kLocalBytes + name + number(fixed, 28, 2);
  leaves(begin, static_cast<uint64_t>(entry.bytes));
  check(name == entry.name.size() &&
            read_bytes(file, static_cast<int64_t>(central.header) + kLocalBytes,
                       static_cast<int64_t>(name)) == entry.name,
        Status::kFormat, where, " has another name at its own place");
  const bool same_kind = number(fixed, 8, 2) == 0 && (number(fixed, 6, 2) & kEncrypted) == 0;
  const uint64_t size = number(fixed, 22, 4);
  const bool same_size = (number(fixed, 6, 2) & kSizesBehind) != 0 || size == kIn64 ||
                         size == static_cast<uint64_t>(entry.bytes);
  check(same_kind && same_size, Status::kFormat, where,
        " is described differently at its own place");
  entry.offset = static_cast<int64_t>(begin);
}

}  // namespace

std::vector<ZipEntry> read_stored_zip(const TensorFile& file) {
  const Directory directory = find_directory(file);
  const std::string bytes = read_bytes(file, static_cast<int64_t>(directory.offset),
                                       static_cast<int64_t>(directory.bytes));
  std::string_view rest = bytes;
  std::vector<Central> centrals;
  for (uint64_t i = 0; i < directory.entries; ++i) {
    centrals.push_back(take_central(rest, file.path()));
    locate(file, directory.offset, centrals.back());
  }
  check(rest.empty(), Status::kFormat, file.path(), ": the zip directory holds more than its ",
        directory.entries, " entries");

  std::sort(centrals.begin(), centrals.end(),
            [](const Central& a, const Central& b) { return a.header < b.header; });
  for (size_t i = 1; i < centrals.size(); ++i) {
    const ZipEntry& before = centrals[i - 1].entry;
    check(static_cast<uint64_t>(before.offset + before.bytes) <= centrals[i].header,
          Status::kFormat, file.path(), ": entry '", centrals[i].entry.name.substr(0, 100),
          "' overlaps '", before.name.substr(0, 100), "'");
  }
  std::vector<ZipEntry> entries;
  for (Central& central : centrals) entries.push_back(std::move(central.entry));
  std::sort(entries.begin(), entries.end(),
            [](const ZipEntry& a, const ZipEntry& b) { return a.name < b.name; });
  for (size_t i = 1; i < entries.size(); ++i) {
    check(entries[i].name != entries[i - 1].name, Status::kFormat, file.path(), ": entry '",
          entries[i].name.substr(0, 100), "' appears twice");
  }
  return entries;
}

uint32_t crc_of(const TensorFile& file, int64_t offset, int64_t bytes) {
  constexpr int64_t kBlock = 1 << 18;
  std::string block(static_cast<size_t>(std::min(bytes, kBlock)), '\0');
  uLong crc = crc32(0, nullptr, 0);
  for (int64_t done = 0; done < bytes;) {
    const int64_t part = std::min(bytes - done, kBlock);
    file.read(block.data(), part, offset + done);
    crc = crc32(crc, reinterpret_cast<const Bytef*>(block.data()), static_cast<uInt>(part));
    done += part;
  }
  return static_cast<uint32_t>(crc);
}

}  // namespace contrastive::io
