#include "core/base/file.h"

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <memory>
#include <new>

#include "core/base/error.h"
#include "core/base/held_folder.h"
#include "core/system/path.h"

namespace contrastive {
namespace {

using system::FileInfo;
using system::Kind;

// What is at a path; kNone if nothing is there, as far as this process may look. A disk that cannot
// be read is an error: an optional file on it must not be treated as absent.
Kind kind_of(const std::string& path) {
  FileInfo info;
  if (system::get_info(HeldFolder::place_of(path), system::Links::kFollow, info)) return info.kind;
  const bool absent = errno == ENOENT || errno == ENOTDIR || errno == EACCES || errno == ELOOP ||
                      errno == ENAMETOOLONG;
  if (!absent) fail_system(path, "cannot be looked at", errno);
  return Kind::kNone;
}

FileInfo info_of(const Descriptor& file, const std::string& path) {
  FileInfo info;
  if (!system::get_info(file.get(), info)) fail_system(path, "cannot be looked at", errno);
  return info;
}

const char* name_of(Kind kind) {
  switch (kind) {
    case Kind::kFolder: return "a folder";
    case Kind::kFifo: return "a FIFO";
    case Kind::kSocket: return "a socket";
    case Kind::kCharacterDevice: return "a character device";
    case Kind::kBlockDevice: return "a block device";
    default: return "a special file";
  }
}

Descriptor open_path(const std::string& path, unsigned mode) noexcept {
  return Descriptor(system::open_file(HeldFolder::place_of(path), mode));
}

// Where the last name of a path begins.
size_t begin_of_name(const std::string& path) {
  size_t begin = path.size();
  while (begin > system::root_length(path) && !system::is_separator(path[begin - 1])) --begin;
  return begin;
}

// The path without links, as far as it exists.
std::string resolved(const std::string& path) {
  std::string above = path, below;
  for (;;) {
    const std::string real = system::real_path(above);
    if (!real.empty()) return absolute_path(real + below);
    const std::string next = parent_folder(above);
    if (next == above) return absolute_path(path);
    below = "/" + base_name(above) + below;
    above = next;
  }
}

// False, and sets errno, if one cannot be created.
bool create_folders(const std::string& path) {
  if (is_directory(path)) return true;
  const std::string above = parent_folder(path);
  if (above != path && !path_exists(above) && !create_folders(above)) return false;
  if (base_name(path).empty() || system::make_folder(path.c_str(), false)) return true;
  const int error = errno;
  const bool is_there = is_directory(path);
  errno = error;
  return is_there;
}

std::string cut_short(const std::string& path) {
  return path.size() <= 300 ? path : path.substr(0, 300) + "...";
}

bool suits(Kind kind, FileUse use) {
  return kind == Kind::kFile || (use == FileUse::kAppend && kind == Kind::kCharacterDevice);
}

[[noreturn]] void fail_kind(const std::string& path, Kind kind) {
  fail(Status::kArgument, path, ": not a regular file but ", name_of(kind));
}

[[noreturn]] void fail_open(const std::string& path, int error, bool absent_is_not_found) {
  if (!absent_is_not_found || (error != ENOENT && error != ENOTDIR))
    fail_system(path, "cannot be opened", error);
  fail(Status::kNotFound, cut_short(path), ": cannot be opened: ", system::error_text(error));
}

// The small text file that Git LFS checks out in place of a large file.
void refuse_lfs_pointer(const Descriptor& file, const FileInfo& info, const std::string& path) {
  constexpr std::string_view kBeginning = "version https://git-lfs";
  constexpr int64_t kMostBytes = 1024;
  if (info.kind != Kind::kFile || info.size > kMostBytes) return;
  char head[kBeginning.size()];
  if (read_up_to(file.get(), head, sizeof head, 0, path) < static_cast<int64_t>(sizeof head))
    return;
  check(std::string_view(head, sizeof head) != kBeginning, Status::kFormat, path,
        ": a pointer of Git LFS, not the file itself; `git -C ", parent_folder(path),
        " lfs pull` fetches it");
}

}  // namespace

void Descriptor::close() noexcept {
  if (value_ >= 0) system::close_file(std::exchange(value_, -1));
}

Descriptor Descriptor::duplicate() const noexcept { return Descriptor(system::duplicate(value_)); }

bool path_exists(const std::string& path) { return kind_of(path) != Kind::kNone; }

bool is_directory(const std::string& path) { return kind_of(path) == Kind::kFolder; }

bool is_regular_file(const std::string& path) { return kind_of(path) == Kind::kFile; }

std::string link_target(const std::string& path) {
  return system::link_target(HeldFolder::place_of(path));
}

bool is_same_file(const std::string& a, const std::string& b) {
  FileInfo first, second;
  return system::get_info({system::kWorkingFolder, a.c_str()}, system::Links::kFollow, first) &&
         system::get_info({system::kWorkingFolder, b.c_str()}, system::Links::kFollow, second) &&
         first.is_same_file(second);
}

Descriptor open_file(const std::string& path, FileUse use, int64_t max_bytes) {
  // Check the type before opening, because opening has side effects on some devices, and again
  // afterwards, because the name may lead to another file by then.
  const Kind before = kind_of(path);
  if (before != Kind::kNone && !suits(before, use)) fail_kind(path, before);
  constexpr unsigned kModes[] = {system::kRead, system::kRead | system::kWrite | system::kCreate,
                                 system::kWrite | system::kCreate | system::kAppend};
  // Without kNoWait, opening a FIFO without a writer would block.
  Descriptor file = open_path(path, kModes[static_cast<int>(use)] | system::kNoWait);
  if (!file) fail_open(path, errno, use == FileUse::kRead);
  const FileInfo info = info_of(file, path);
  if (!suits(info.kind, use)) fail_kind(path, info.kind);
  check(info.size <= max_bytes, Status::kLimit, path, ": ", info.size,
        " bytes, above the limit of ", max_bytes);
  if (use == FileUse::kRead) refuse_lfs_pointer(file, info, path);
  return file;
}

Descriptor create_file(const std::string& path, bool readable) {
  Descriptor file = open_path(path, (readable ? system::kRead : 0u) | system::kWrite |
                                        system::kCreate | system::kNew | system::kNoLink);
  if (!file) fail_system(path, "cannot be created", errno);
  // With a umask that removes our own permission to read, the saved model could not be loaded.
  system::open_to_owner(file.get());
  return file;
}

Descriptor create_unnamed_file(const std::string& folder) {
  return Descriptor(system::open_unnamed_file(folder.c_str()));
}

Descriptor open_folder(const std::string& path) noexcept {
  return Descriptor(system::open_folder(HeldFolder::place_of(path)));
}

std::unique_ptr<system::Entries> open_entries(const std::string& folder) {
  auto entries = std::make_unique<system::Entries>(HeldFolder::place_of(folder));
  if (*entries) return entries;
  const int error = errno;
  if (error == ENOMEM) throw std::bad_alloc();
  entries.reset();
  errno = error;
  return nullptr;
}

const char* next_entry(system::Entries* entries, const std::string& folder) {
  const char* const name = entries->next();
  if (name == nullptr && errno != 0) fail_system(folder, "cannot be listed", errno);
  return name;
}

Descriptor open_to_lock(const std::string& path) noexcept {
  // Open it for writing if possible: NFS does not lock a file that is open only for reading.
  constexpr unsigned kMode = system::kRead | system::kNoLink | system::kNoWait;
  Descriptor file = open_path(path, kMode | system::kWrite);
  return file ? std::move(file) : open_path(path, kMode);
}

Descriptor open_lock_file(const std::string& path) {
  Descriptor file = open_path(path, system::kRead | system::kWrite | system::kCreate |
                                        system::kNoLink | system::kNoWait);
  if (!file) fail_system(path, "cannot be created", errno);
  const Kind kind = info_of(file, path).kind;
  check(kind == Kind::kFile, Status::kIo, path, ": is to be a lock file and is ", name_of(kind));
  return file;
}

Descriptor open_stream_to_read(const std::string& path) {
  Descriptor file = open_path(path, system::kRead);
  if (!file) fail_open(path, errno, true);
  FileInfo info;
  if (system::get_info(file.get(), info)) refuse_lfs_pointer(file, info, path);
  return file;
}

Descriptor open_stream_to_write(const std::string& path) {
  Descriptor file = open_path(path, system::kWrite);
  if (!file) fail_open(path, errno, true);
  return file;
}

int64_t file_size(const Descriptor& file, const std::string& path) {
  return info_of(file, path).size;
}

int64_t read_up_to(int descriptor, char* into, int64_t bytes, int64_t offset,
                   const std::string& path) {
  int64_t done = 0;
  while (done < bytes) {
    const int64_t n =
        system::read_at(descriptor, into + done, static_cast<size_t>(bytes - done), offset + done);
    if (n < 0) fail_system(path, "cannot be read", errno);
    if (n == 0) break;
    done += n;
  }
  return done;
}

void write_all(int descriptor, std::string_view bytes, const std::string& path) {
  while (!bytes.empty()) {
    const int64_t n = system::write_on(descriptor, bytes.data(), bytes.size());
    if (n <= 0) fail_system(path, "cannot be written", n == 0 ? ENOSPC : errno);
    bytes.remove_prefix(static_cast<size_t>(n));
  }
}

void sync_and_close(Descriptor& file, const std::string& path) {
  if (!system::sync(file.get())) fail_system(path, "cannot be made durable", errno);
  if (!system::close_file(file.release())) fail_system(path, "cannot be closed", errno);
}

void sync_file(const std::string& path) {
  const Descriptor file = open_path(path, system::kRead | system::kNoLink | system::kNoWait);
  if (!file) fail_system(path, "cannot be opened", errno);
  if (!system::sync(file.get())) fail_system(path, "cannot be made durable", errno);
}

void sync_folder(const std::string& path) {
  const Descriptor folder = open_folder(path);
  if (!folder) fail_system(path, "cannot be opened", errno);
  if (!system::sync(folder.get())) fail_system(path, "cannot be made durable", errno);
}

std::string parent_folder(const std::string& path) {
  const size_t name = begin_of_name(path), root = system::root_length(path);
  if (name == 0) return ".";
  return path.substr(0, std::max(name - 1, root));
}

std::string absolute_path(const std::string& path) {
  const std::filesystem::path whole =
      std::filesystem::absolute(std::filesystem::u8path(path)).lexically_normal();
  return (whole.has_filename() ? whole : whole.parent_path()).generic_u8string();
}

void make_folders(const std::string& path) {
  if (!create_folders(path)) fail_system(path, "cannot be created", errno);
}

std::vector<std::string> names_in(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries) fail_system(folder, "cannot be read", errno);
  std::vector<std::string> names;
  while (const char* name = next_entry(entries.get(), folder)) names.emplace_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

void copy_tree(const std::string& from, const std::string& to) {
  if (is_directory(from)) {
    make_folders(to);
    for (const std::string& name : names_in(from)) copy_tree(from + "/" + name, to + "/" + name);
    return;
  }
  const Descriptor source = open_file(from, FileUse::kRead);
  system::remove_file(to.c_str());
  Descriptor target = create_file(to);
  std::string part(size_t{1} << 20, '\0');
  const auto most = static_cast<int64_t>(part.size());
  for (int64_t at = 0, got = most; got == most; at += got) {
    got = read_up_to(source.get(), part.data(), most, at, from);
    write_all(target.get(), std::string_view(part).substr(0, static_cast<size_t>(got)), to);
  }
}

bool lies_in(const std::string& path, const std::string& folder) {
  const std::string inner = resolved(path), outer = resolved(folder);
  return inner.compare(0, outer.size(), outer) == 0 &&
         (inner.size() == outer.size() || system::is_separator(outer.back()) ||
          system::is_separator(inner[outer.size()]));
}

std::string base_name(const std::string& path) { return path.substr(begin_of_name(path)); }

void fail_system(const std::string& path, const std::string& what, int error) {
  const bool full = error == ENOSPC || error == EFBIG || system::is_quota(error);
  if (error == ENOMEM) throw std::bad_alloc();
  fail(full ? Status::kNoSpace : Status::kIo, cut_short(path), ": ", what, ": ",
       system::error_text(error));
}

std::string read_file(const std::string& path, int64_t max_bytes) {
  const Descriptor file = open_file(path, FileUse::kRead, max_bytes);
  std::string bytes(static_cast<size_t>(file_size(file, path)), '\0');
  const auto wanted = static_cast<int64_t>(bytes.size());
  check(read_up_to(file.get(), bytes.data(), wanted, 0, path) == wanted, Status::kCorrupt, path,
        ": became shorter while it was read");
  return bytes;
}

std::string join_inside(const std::string& folder, const std::string& name,
                        const std::string& source) {
  check(name.size() <= 4096, Status::kFormat, source, ": a path of ", name.size(), " characters");
  check(name.find('\0') == std::string::npos, Status::kFormat, source,
        ": a path with a NUL character");
  check(!system::is_absolute(name), Status::kFormat, source, ": the path '", name,
        "' is absolute; it must stay inside ", folder);
  std::string path = folder;
  for (size_t begin = 0; begin <= name.size();) {
    size_t end = begin;
    while (end < name.size() && !system::is_separator(name[end])) ++end;
    const std::string part = name.substr(begin, end - begin);
    check(part != "..", Status::kFormat, source, ": the path '", name, "' leaves ", folder);
    begin = end + 1;
    if (part.empty() || part == ".") continue;
    check(system::is_usable_name(part), Status::kFormat, source, ": the path '", name,
          "' has a name that this system does not allow");
    path += "/" + part;
    // A folder that is a link could lead anywhere. A file that is a link is allowed: download
    // caches store their files that way.
    FileInfo info;
    if (system::get_info(HeldFolder::place_of(path), system::Links::kKeep, info) &&
        info.kind == Kind::kLink && is_directory(path)) {
      const std::string real = system::real_path(path), base = system::real_path(folder);
      const bool inside = !real.empty() && !base.empty() &&
                          real.compare(0, base.size(), base) == 0 && real.size() > base.size() &&
                          system::is_separator(real[base.size()]);
      check(inside, Status::kFormat, source, ": the path '", name, "' leaves ", folder,
            " through a symbolic link");
    }
  }
  return path;
}

}  // namespace contrastive
