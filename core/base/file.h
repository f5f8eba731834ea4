// Opening files: the one place that does (tests/guards/opens.sh). A path of unknown origin may name
// anything, and neither a FIFO without a writer nor a device without an end may stop a process:
// what is no regular file is refused before it is opened. Files that appear whole are
// core/io/atomic_file.h's.
#pragma once

#include <dirent.h>

#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

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

 private:
  int value_ = -1;
};

constexpr int64_t kAnySize = std::numeric_limits<int64_t>::max();

enum class FileUse {
  kRead,
  kUpdate,  // read and written in place; made where it is missing
  kAppend,  // written at its end; made where it is missing. A character device (/dev/null) is taken
            // too: it neither waits nor ends
};

// Opens a regular file; links are followed. kNotFound when it is absent (to be read), kIo or
// kNoSpace when the system refuses, kArgument naming what it is when it is no regular file, kLimit
// above `max_bytes`, kFormat for a pointer of Git LFS (to be read). Never waits for anybody.
Descriptor open_file(const std::string& path, FileUse use, int64_t max_bytes = kAnySize);

// A new file, to be written; kIo or kNoSpace where it cannot be made, or where anything has that
// name. `readable`: to be read back as well.
Descriptor create_file(const std::string& path, bool readable = false);

// A file of nobody's name in a folder, which ends with its descriptor; empty where the file system
// cannot do that.
Descriptor create_unnamed_file(const std::string& folder);

// Only to hold a folder (core/base/held_folder.h) or to list it; empty where it cannot be opened,
// with errno.
Descriptor open_folder(const std::string& path) noexcept;

// The entries of a folder; empty where it cannot be opened, with errno. std::bad_alloc without
// memory.
std::unique_ptr<DIR, int (*)(DIR*)> open_entries(const std::string& folder);
// The name of the next one, "." and ".." left out; nullptr at the end. kIo: what cannot be read is
// not empty.
const char* next_entry(DIR* entries, const std::string& folder);

// Only to hold a lock on it (flock): a file or folder that is there, not by a link; empty where it
// cannot be opened.
Descriptor open_to_lock(const std::string& path) noexcept;
// A lock file: regular, not by a link, made where it is missing; kIo.
Descriptor open_lock_file(const std::string& path);

// What a person at a command line hands over to be read from its beginning to its end, pipes
// (/dev/fd/63) and terminals too: waits for their writers.
Descriptor open_stream_to_read(const std::string& path);
// The same for an output: /dev/stdout, a FIFO.
Descriptor open_stream_to_write(const std::string& path);

// Bytes of the open file. kIo.
int64_t file_size(const Descriptor& file, const std::string& path);
// Reads until `bytes` are there or the file ends; how many there were. Begins anew after
// interruptions and short reads. kIo.
int64_t read_up_to(int descriptor, char* into, int64_t bytes, int64_t offset,
                   const std::string& path);
// Writes all of them at the descriptor's place. kNoSpace, kIo.
void write_all(int descriptor, std::string_view bytes, const std::string& path);
// Makes the bytes of the file durable and gives its descriptor back; both may fail: kNoSpace, kIo.
void sync_and_close(Descriptor& file, const std::string& path);
// Makes a file durable that was written and closed before.
void sync_file(const std::string& path);
// Makes the names in a folder durable (fsync of the folder itself).
void sync_folder(const std::string& path);

// Removes a file, or a folder with all that is in it, as far as the system lets it; links are
// removed and not followed. Needs no memory that could fail.
void remove_tree(const char* path) noexcept;

// "/a/b" -> {"/a", "b"}; "b" -> {".", "b"}.
std::string parent_folder(const std::string& path);
// Whether `path` is `folder` or lies in it, as far as links lead that are there; neither has to
// exist.
bool lies_in(const std::string& path, const std::string& folder);
std::string base_name(const std::string& path);

// Throws kNoSpace or kIo with `path`, `what` and the text of `error` (an errno); std::bad_alloc
// where it is ENOMEM.
[[noreturn]] void fail_system(const std::string& path, const std::string& what, int error);

// True when `path` names something that exists (of whatever type). kIo where the system cannot say:
// what is optional must not be taken for absent then.
bool path_exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);
// The target of the symbolic link `path`, unresolved. Empty if `path` is not a link.
std::string link_target(const std::string& path);
// True when both name one file, through links too; false where one of them is not there.
bool is_same_file(const std::string& a, const std::string& b);

// The bytes of a regular file: the errors of open_file, before anything is read, and kCorrupt where
// it becomes shorter meanwhile.
std::string read_file(const std::string& path, int64_t max_bytes);

// `folder` + "/" + `name`, where `name` comes from a file inside `folder`: kFormat when it is
// absolute, has a `..` part, a NUL or more than 4,096 characters, or leaves the folder through a
// symbolic link that stands in the folder named by the user. A folder whose files are links into a
// cache beside it (as download caches lay them out) is read: only `name`'s own steps are checked.
std::string join_inside(const std::string& folder, const std::string& name,
                        const std::string& source);

}  // namespace contrastive
