#include "core/base/held_folder.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <utility>

namespace contrastive {
namespace {

thread_local const HeldFolder* innermost = nullptr;

std::string without_slashes(std::string path) {
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path;
}

}  // namespace

HeldFolder::HeldFolder(const std::string& path)
    : path_(without_slashes(path)), outer_(innermost), folder_(open_folder(path_)) {
  absent_ = !folder_ && errno == ENOENT;
  innermost = this;
}

HeldFolder::~HeldFolder() { innermost = outer_; }

bool HeldFolder::is_current() const {
  // Look the path up through the outer holders only. Through this one it would always find itself.
  const HeldFolder* const inside = std::exchange(innermost, outer_);
  const Place place = place_of(path_);
  innermost = inside;
  struct stat held{}, there{};
  const bool is_there = ::fstatat(place.folder, place.name, &there, 0) == 0;
  if (!folder_) return !absent_ || !is_there;
  return is_there && ::fstat(folder_.get(), &held) == 0 && held.st_dev == there.st_dev &&
         held.st_ino == there.st_ino;
}

Place HeldFolder::place_of(const std::string& path) {
  for (const HeldFolder* held = innermost; held != nullptr; held = held->outer_) {
    const size_t length = held->path_.size();
    const bool inside = held->folder_ && path.compare(0, length, held->path_) == 0 &&
                        (path.size() == length || path[length] == '/');
    if (!inside) continue;
    const size_t name = path.find_first_not_of('/', length);
    return {held->folder_.get(), name == std::string::npos ? "." : path.c_str() + name};
  }
  return {AT_FDCWD, path.c_str()};
}

}  // namespace contrastive
