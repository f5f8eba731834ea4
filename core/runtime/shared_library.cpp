#include "core/runtime/shared_library.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/system/mapping.h"

namespace contrastive::runtime {
namespace {

constexpr int64_t kMostSegments = 1024;

// The values in the ELF header of a library for this process.
#if defined(__aarch64__)
constexpr Elf64_Half kMachine = EM_AARCH64;
#else
constexpr Elf64_Half kMachine = EM_X86_64;
#endif
constexpr unsigned char kByteOrder =
    __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? ELFDATA2LSB : ELFDATA2MSB;

// The header of a 32-bit library has another layout, but class, byte order, type and machine are at
// the same offsets.
bool is_for_this_machine(const Elf64_Ehdr& head) {
  return head.e_ident[EI_CLASS] == ELFCLASS64 && head.e_ident[EI_DATA] == kByteOrder &&
         head.e_machine == kMachine;
}

// The size that the file should have, according to its header.
int64_t expected_size(const Elf64_Ehdr& head, const std::vector<Elf64_Phdr>& segments) {
  uint64_t end = head.e_shoff + uint64_t{head.e_shentsize} * head.e_shnum;
  for (const Elf64_Phdr& segment : segments)
    end = std::max(end, segment.p_offset + segment.p_filesz);
  return static_cast<int64_t>(std::min<uint64_t>(end, INT64_MAX));
}

}  // namespace

std::string problem_of_library(const std::string& path) {
  try {
    const Descriptor file = open_file(path, FileUse::kRead);
    const int64_t size = file_size(file, path);
    Elf64_Ehdr head{};
    const bool is_elf = read_up_to(file.get(), reinterpret_cast<char*>(&head), sizeof(head), 0,
                                   path) == static_cast<int64_t>(sizeof(head)) &&
                        std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
    if (is_elf && !is_for_this_machine(head))
      return path + ": it is for another kind of processor than this process";
    if (!is_elf || head.e_type != ET_DYN) return path + ": it is not a shared library";
    std::vector<Elf64_Phdr> segments(std::min<size_t>(head.e_phnum, kMostSegments));
    const auto bytes = static_cast<int64_t>(segments.size() * sizeof(Elf64_Phdr));
    const bool has_segments = head.e_phentsize == sizeof(Elf64_Phdr) &&
                              head.e_phoff <= static_cast<uint64_t>(size) &&
                              read_up_to(file.get(), reinterpret_cast<char*>(segments.data()),
                                         bytes, static_cast<int64_t>(head.e_phoff), path) == bytes;
    if (!has_segments || size < expected_size(head, segments))
      return cat(path, ": it is cut off after ", size, " bytes");
    return "";
  } catch (const Error& error) {
    return error.message();
  }
}

bool has_room_for_library(const std::string& path, size_t more) {
  try {
    const size_t size =
        static_cast<size_t>(file_size(open_file(path, FileUse::kRead), path)) + more;
    return system::has_address_space(size);
  } catch (const Error&) {  // a file that cannot be read is another problem than missing room
  }
  return true;
}

}  // namespace contrastive::runtime
