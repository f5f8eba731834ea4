#include "core/system/library.h"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <vector>

#include "core/system/file.h"

namespace contrastive::system {
namespace {

constexpr size_t kMostSegments = 1024;

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

bool read_all(int file, void* into, size_t bytes, int64_t offset) {
  auto* to = static_cast<char*>(into);
  while (bytes > 0) {
    const int64_t got = read_at(file, to, bytes, offset);
    if (got <= 0) return false;
    to += got, offset += got, bytes -= static_cast<size_t>(got);
  }
  return true;
}

std::string problem(int file, int64_t size) {
  Elf64_Ehdr head{};
  const bool is_elf =
      read_all(file, &head, sizeof(head), 0) && std::memcmp(head.e_ident, ELFMAG, SELFMAG) == 0;
  if (is_elf && !is_for_this_machine(head))
    return "it is for another kind of processor than this process";
  if (!is_elf || head.e_type != ET_DYN) return "it is not a shared library";
  std::vector<Elf64_Phdr> segments(std::min<size_t>(head.e_phnum, kMostSegments));
  const bool has_segments = head.e_phentsize == sizeof(Elf64_Phdr) &&
                            head.e_phoff <= static_cast<uint64_t>(size) &&
                            read_all(file, segments.data(), segments.size() * sizeof(Elf64_Phdr),
                                     static_cast<int64_t>(head.e_phoff));
  if (!has_segments || size < expected_size(head, segments))
    return "it is cut off after " + std::to_string(size) + " bytes";
  return "";
}

}  // namespace

LoadedLibrary loaded_library(const char* name) {
  void* const library = ::dlopen(name, RTLD_LAZY | RTLD_LOCAL | RTLD_NOLOAD);
  if (library == nullptr) return {};
  link_map* map = nullptr;
  LoadedLibrary found;
  if (::dlinfo(library, RTLD_DI_LINKMAP, &map) == 0 && map != nullptr) {
    found.path = map->l_name != nullptr ? map->l_name : "";
    // The dynamic section lies in the library wherever the loader has put that.
    found.begin = library_of(map->l_ld).begin;
  }
  ::dlclose(library);
  return found;
}

std::string library_file(const std::string& name, const std::string& interface) {
  return "lib" + name + ".so" + (interface.empty() ? "" : "." + interface);
}

std::string problem_of_library(const std::string& path) {
  FileInfo info;
  const int file = open_file({kWorkingFolder, path.c_str()}, kRead | kNoWait);
  if (file < 0) return path + ": " + error_text(errno);
  std::string found = !get_info(file, info)      ? error_text(errno)
                      : info.kind != Kind::kFile ? "not a regular file"
                                                 : problem(file, info.size);
  close_file(file);
  return found.empty() ? "" : path + ": " + found;
}

}  // namespace contrastive::system
