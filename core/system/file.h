// Files and folders, as the operating system has them. Other layers use core/base/file.h.
//
// Functions fail as those of the C library do: they return false, -1 or an empty value, and set
// errno. On Windows too: windows/file.cpp translates the system's errors. A call that a signal
// interrupts is repeated. Paths are UTF-8 with '/' between names; on Windows '\' separates names
// too, a path may begin with a drive or a share, and its length is not limited to 260 characters.
// Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace contrastive::system {

// The text of an errno. On Windows it is Windows' own text, if the errno is of this thread's last
// error.
std::string error_text(int error);

// Whether an errno says that the user has no more room on a disk.
bool is_quota(int error) noexcept;

enum class Kind {
  kNone,
  kFile,
  kFolder,
  kLink,
  kFifo,
  kSocket,
  kCharacterDevice,
  kBlockDevice,
  kOther
};

struct FileInfo {
  Kind kind = Kind::kNone;
  int64_t size = 0;          // bytes
  unsigned permissions = 0;  // of POSIX, 0777 at most; on Windows 0777, or 0555 if it is read-only
  uint64_t volume = 0, number = 0, number_high = 0;

  bool is_same_file(const FileInfo& other) const {
    return volume == other.volume && number == other.number && number_high == other.number_high;
  }
};

// Where a path is looked up: in an open folder, or in the process's working folder.
constexpr int kWorkingFolder = -100;
struct Place {
  int folder = kWorkingFolder;
  const char* name = "";
};

enum class Links { kFollow, kKeep };

bool get_info(const Place& place, Links links, FileInfo& info) noexcept;
bool get_info(int file, FileInfo& info) noexcept;

// How a file is opened: kRead, kWrite or both, and more of these.
enum OpenMode : unsigned {
  kRead = 1,
  kWrite = 2,
  kCreate = 4,   // creates a missing file
  kNew = 8,      // with kCreate: fails with EEXIST if it exists
  kAppend = 16,  // every write goes to the end
  kNoLink = 32,  // fails if the last name is a link
  kNoWait = 64   // does not wait for the writer of a FIFO
};
// A descriptor, which children of the process do not inherit; -1 on failure. Others may read,
// write, rename and remove the file meanwhile.
int open_file(const Place& place, unsigned mode) noexcept;
// Opens a folder to hold it, to lock it or to list it.
int open_folder(const Place& place) noexcept;
// Creates a file that no name leads to in a folder; EOPNOTSUPP if the system has none.
int open_unnamed_file(const char* folder) noexcept;
// Releases the descriptor even if it fails.
bool close_file(int file) noexcept;
int duplicate(int file) noexcept;

// Bytes read or written, which may be fewer than asked for; -1 on failure. A write beyond the
// host's limit on the size of files fails with EFBIG, and sends no signal.
int64_t read_at(int file, void* into, size_t bytes, int64_t offset) noexcept;
int64_t write_on(int file, const void* data, size_t bytes) noexcept;
int64_t write_at(int file, const void* data, size_t bytes, int64_t offset) noexcept;
bool resize(int file, int64_t bytes) noexcept;
// Makes the bytes of a file, or the names in a folder, durable. True where the file system cannot
// sync a folder.
bool sync(int file) noexcept;
// Gives the owner the right to read and write, which a umask may have taken away.
bool open_to_owner(int file) noexcept;

enum class Locked { kYes, kNo, kCannot };
// Locks an open file or folder for this descriptor and its duplicates, until the last of them is
// closed or the process ends. Does not wait. kNo: another descriptor has it (errno is EWOULDBLOCK),
// or an error. kCannot: the file system has no locks.
Locked try_lock(int file) noexcept;

// The path without links, "." and ".."; "" if it leads nowhere.
std::string real_path(const std::string& path);
// The target of a link, unresolved; "" if it is no link.
std::string link_target(const Place& place);

bool make_folder(const char* path, bool only_for_owner) noexcept;
bool set_permissions(const char* path, unsigned permissions) noexcept;
bool remove_file(const char* path) noexcept;
bool remove_folder(const char* path) noexcept;  // an empty one
// Removes a file, or a folder with everything in it, as far as the system allows. Removes links
// without following them. Allocates no memory on POSIX.
void remove_tree(const char* path) noexcept;
// Renames a file or a folder. Replaces a file by a file in one step. Replaces a folder only if it
// is empty, in one step on POSIX; otherwise fails with ENOTEMPTY or EEXIST.
bool rename(const char* from, const char* to) noexcept;
// Exchanges two names in one step. EINVAL, ENOSYS or ENOTSUP where the system cannot.
bool exchange(const char* a, const char* b) noexcept;
// Free bytes for this user on the disk of a path; -1 if unknown.
int64_t free_space(const char* path) noexcept;

// The names in a folder, except "." and "..".
class Entries {
 public:
  // Opens the folder. On failure the object converts to false, and errno is set.
  explicit Entries(const Place& folder) noexcept;
  Entries(const Entries&) = delete;
  Entries& operator=(const Entries&) = delete;
  ~Entries();

  explicit operator bool() const { return folder_ != nullptr; }
  // The next name, valid until the next call. nullptr at the end, with errno 0, and on failure.
  const char* next() noexcept;

 private:
  void* folder_ = nullptr;
};

}  // namespace contrastive::system
