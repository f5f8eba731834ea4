#include "core/base/held_folder.h"

#include <cerrno>
#include <utility>

#include "core/system/path.h"

namespace contrastive {
namespace {

thread_local const HeldFolder* innermost = nullptr;

std::string without_slashes(std::string path) {
  while (path.size() > system::root_length(path) && system::is_separator(path.back()))
    path.pop_back();
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
  const system::Place place = place_of(path_);
  innermost = inside;
  system::FileInfo held, there;
  const bool is_there = system::get_info(place, system::Links::kFollow, there);
  if (!folder_) return !absent_ || !is_there;
  return is_there && system::get_info(folder_.get(), held) && held.is_same_file(there);
}

system::Place HeldFolder::place_of(const std::string& path) {
  for (const HeldFolder* held = innermost; held != nullptr; held = held->outer_) {
    const size_t length = held->path_.size();
    const bool inside = held->folder_ && path.compare(0, length, held->path_) == 0 &&
                        (path.size() == length || system::is_separator(path[length]));
    if (!inside) continue;
    size_t name = length;
    while (name < path.size() && system::is_separator(path[name])) ++name;
    return {held->folder_.get(), name == path.size() ? "." : path.c_str() + name};
  }
  return {system::kWorkingFolder, path.c_str()};
}

}  // namespace contrastive
