// Opens, reads and writes files. Nothing else in the library opens a file (tests/guards/opens.sh).
// A path of unknown origin may name anything, and a FIFO without a writer or an endless device must
// not block the process, so anything but a regular file is refused before it is opened. To write a
// file that appears only when it is complete, use core/io/atomic_file.h.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/system/file.h"

namespace contrastive {

// Owns a file descriptor.
class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int value) : value_(value) {}
  Descriptor(Descriptor&& other) noexcept : value_(std::exchange(other.value_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    if (this != &other) close(), value_ = std::exchange(other.value_, -1);
    return *this;
  }
  ~Descriptor() { close(); }
  int get() const { return value_; }
  int release() { return std::exchange(value_, -1); }
  explicit operator bool() const { return value_ >= 0; }
  void close() noexcept;
  // Another descriptor of the same open file: it has the same position and the same lock. Empty,
  // and sets errno, if the process has too many.
  Descriptor duplicate() const noexcept;

 private:
  int value_ = -1;
};

constexpr int64_t kAnySize = std::numeric_limits<int64_t>::max();

enum class FileUse {
  kRead,
  kUpdate,  // reads and writes in place; creates a missing file
  // Writes at the end; creates a missing file. A character device (/dev/null) is allowed too,
  // because it neither blocks nor ends.
  kAppend,
};

// Opens a regular file and follows links. Never blocks. Throws kNotFound if a file to read does not
// exist; kIo or kNoSpace if the system refuses; kArgument, which names the type, if it is not a
// regular file; kLimit if it is larger than `max_bytes`; kFormat if a file to read is a Git LFS
// pointer.
Descriptor open_file(const std::string& path, FileUse use, int64_t max_bytes = kAnySize);

// Creates a file for writing. Throws kIo or kNoSpace if it cannot be created or if the name already
// exists. `readable`: the caller also reads it back.
Descriptor create_file(const std::string& path, bool readable = false);

// Creates a file without a name in a folder; it is deleted when its descriptor is closed. Returns
// an empty descriptor if the file system does not support this.
Descriptor create_unnamed_file(const std::string& folder);

// Opens a folder, only to hold it (core/base/held_folder.h) or to list it. Returns an empty
// descriptor and sets errno if it cannot be opened.
Descriptor open_folder(const std::string& path) noexcept;

// Opens a folder to list its entries. Returns null and sets errno if it cannot be opened. Throws
// std::bad_alloc.
std::unique_ptr<system::Entries> open_entries(const std::string& folder);
// Returns the name of the next entry except "." and "..", or nullptr at the end. Throws kIo if the
// folder cannot be read, so that it does not look empty.
const char* next_entry(system::Entries* entries, const std::string& folder);

// Opens an existing file or folder, only to lock it (system::try_lock). Does not follow a link.
// Returns an empty descriptor if it cannot be opened.
Descriptor open_to_lock(const std::string& path) noexcept;
// Opens a lock file and creates it if it is missing. It must be a regular file and not a link.
// Throws kIo.
Descriptor open_lock_file(const std::string& path);

// Opens a command-line input, to be read from beginning to end. Pipes (/dev/fd/63) and terminals
// are allowed, so this may wait for a writer.
Descriptor open_stream_to_read(const std::string& path);
// Opens a command-line output: a file, /dev/stdout, a FIFO.
Descriptor open_stream_to_write(const std::string& path);

// The size of the open file in bytes. Throws kIo.
int64_t file_size(const Descriptor& file, const std::string& path);
// Reads until it has `bytes` bytes or the file ends, and returns how many it read. Retries after
// interruptions and short reads. Throws kIo.
int64_t read_up_to(int descriptor, char* into, int64_t bytes, int64_t offset,
                   const std::string& path);
// Writes all bytes at the descriptor's current position. Throws kNoSpace or kIo.
void write_all(int descriptor, std::string_view bytes, const std::string& path);
// Makes the file's bytes durable and closes the descriptor. Both can fail with kNoSpace or
// kIo.
void sync_and_close(Descriptor& file, const std::string& path);
// Makes a file durable that was written and closed before.
void sync_file(const std::string& path);
// Makes the names in a folder durable.
void sync_folder(const std::string& path);

// Creates a folder and the missing ones above it. Nothing happens if it exists. Throws kIo.
void make_folders(const std::string& path);
// The names in a folder except "." and "..", in the order of their bytes. Throws kIo.
std::vector<std::string> names_in(const std::string& folder);
// Copies a file, or a folder with everything in it; replaces files that exist. Follows links.
// Throws kIo or kNoSpace.
void copy_tree(const std::string& from, const std::string& to);
using system::remove_tree;

// The path from the root, without "." and "..", whether or not it exists. '/' separates names.
std::string absolute_path(const std::string& path);

// "/a/b" -> {"/a", "b"}; "b" -> {".", "b"}.
std::string parent_folder(const std::string& path);
// True if `path` is `folder` or is inside it, after following the links that exist. Neither path
// has to exist.
bool lies_in(const std::string& path, const std::string& folder);
std::string base_name(const std::string& path);

// Throws kNoSpace or kIo with `path`, `what` and the text of `error` (an errno). Throws
// std::bad_alloc for ENOMEM.
[[noreturn]] void fail_system(const std::string& path, const std::string& what, int error);

// True if `path` exists, with any type. Throws kIo if the system cannot tell: an optional file
// that cannot be read must not be treated as absent.
bool path_exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);
// The target of the symbolic link `path`, unresolved. Empty if `path` is not a link.
std::string link_target(const std::string& path);
// True if both paths name the same file, also through links. False if one of them does not exist.
bool is_same_file(const std::string& a, const std::string& b);

// Reads a whole regular file. Throws the errors of open_file before it reads anything, and kCorrupt
// if the file shrinks while it is read.
std::string read_file(const std::string& path, int64_t max_bytes);

// Returns `folder` + "/" + `name`, for a `name` that comes from a file inside `folder`. Throws
// kFormat if `name` is absolute, has a `..` component, a NUL or more than 4,096 characters, or
// leaves the folder through a folder that is a symbolic link. A link to a file is allowed, because
// download caches store their files that way. Only the components of `name` are checked.
std::string join_inside(const std::string& folder, const std::string& name,
                        const std::string& source);

}  // namespace contrastive
