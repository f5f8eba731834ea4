// Reading whole files with a limit, safely for paths of unknown origin. Writing lives in core/io/atomic_file.h.
#pragma once

#include <cstdint>
#include <string>

namespace contrastive {

// True when `path` names something that exists (of whatever type).
bool path_exists(const std::string& path);
bool is_directory(const std::string& path);
bool is_regular_file(const std::string& path);

// The bytes of a regular file. kNotFound when it is absent, kIo when it cannot be read, kArgument when it is not a regular file (a FIFO or
// device is refused without blocking on it), kLimit above `max_bytes` (the size is looked at before anything is read).
std::string read_file(const std::string& path, int64_t max_bytes);

// `folder` + "/" + `name`, where `name` comes from a file inside `folder`: kFormat when it is absolute, has a `..` part, a NUL or more than
// 4,096 characters, or leaves the folder through a symbolic link that stands in the folder named by the user.
// A folder whose files are links into a cache beside it (as download caches lay them out) is read: only `name`'s own steps are checked.
std::string join_inside(const std::string& folder, const std::string& name, const std::string& source);

}  // namespace contrastive
