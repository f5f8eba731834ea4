#include "core/base/temporary.h"

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <string_view>
#include <vector>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/system/process.h"

namespace contrastive {
namespace {

constexpr std::string_view kMark = ".tmp-";

bool are_digits(std::string_view text, size_t most) {
  return !text.empty() && text.size() <= most &&
         text.find_first_not_of("0123456789") == std::string_view::npos;
}

struct Parts {
  std::string_view target;  // empty: not a temporary
  long pid = 0;
};

Parts parse(std::string_view name) {
  if (name.size() < 2 || name[0] != '.') return {};
  std::string_view rest = name.substr(1);
  if (ends_with(rest, ".lock")) return parse(rest.substr(0, rest.size() - 5));
  if (ends_with(rest, ".old")) rest.remove_suffix(4);
  const size_t mark = rest.rfind(kMark);
  if (mark == std::string_view::npos || mark == 0) return {};
  const std::string_view numbers = rest.substr(mark + kMark.size()), target = rest.substr(0, mark);
  const size_t dash = numbers.find('-');
  if (dash == std::string_view::npos || !are_digits(numbers.substr(0, dash), 9) ||
      !are_digits(numbers.substr(dash + 1), 20))
    return {};
  const Parts inner = parse(target);
  if (!inner.target.empty()) return inner;
  return {target, std::strtol(std::string(numbers.substr(0, dash)).c_str(), nullptr, 10)};
}

using system::Locked;
using system::try_lock;

system::Place place_of(const std::string& path) { return {system::kWorkingFolder, path.c_str()}; }

bool lock(int descriptor) { return try_lock(descriptor) != Locked::kNo; }

// Whether the locked file still has this name. Another process that cleans up may have removed it
// in between.
bool still_has_name(int descriptor, const std::string& path) {
  system::FileInfo ours, there;
  return system::get_info(descriptor, ours) &&
         system::get_info(place_of(path), system::Links::kKeep, there) && ours.is_same_file(there);
}

std::vector<std::string> temporaries_of(const std::string& target) {
  const std::string folder = parent_folder(target), name = base_name(target);
  const auto entries = open_entries(folder);
  std::vector<std::string> found;
  while (const char* item = entries ? next_entry(entries.get(), folder) : nullptr) {
    if (parse(item).target == name) found.push_back(folder + "/" + item);
  }
  return found;
}

// Tests by its lock whether a process holds a temporary, and keeps the lock until this object is
// destroyed. A process that was about to lock its new temporary then chooses another name.
class Holder {
 public:
  explicit Holder(const std::string& path)
      : file_(open_to_lock(path)), locked_(file_ ? try_lock(file_.get()) : Locked::kNo),
        our_number_(parse(base_name(path)).pid == system::process_number()) {}
  bool is_none() const {
    return locked_ == Locked::kYes || (locked_ == Locked::kCannot && !our_number_);
  }  // a temporary of this process may belong to another thread

 private:
  Descriptor file_;
  Locked locked_;
  bool our_number_;
};

}  // namespace

std::string temporary_path(const std::string& target) {
  static std::atomic<uint64_t> count{0};
  return parent_folder(target) + "/." + base_name(target) + std::string(kMark) +
         std::to_string(system::process_number()) + "-" + std::to_string(count++);
}

std::string target_of_temporary(const std::string& name) { return std::string(parse(name).target); }

bool of_another_living_process(const std::string& name) {
  const Parts parts = parse(name);
  if (parts.target.empty() || parts.pid == system::process_number()) return false;
  return system::is_running(parts.pid);
}

void remove_stale_temporaries(const std::string& target) {
  for (const std::string& path : temporaries_of(target)) {
    if (of_another_living_process(base_name(path))) continue;
    const Holder holder(path);
    if (holder.is_none()) remove_tree(path.c_str());
  }
}

void remove_dead_temporaries(const std::string& target,
                             const std::function<bool(const std::string& path)>& kept) {
  for (const std::string& path : temporaries_of(target)) {
    const Holder holder(path);
    if (holder.is_none() && !kept(path)) remove_tree(path.c_str());
  }
}

TemporaryFile::TemporaryFile(const std::string& target) : target_(target) {
  system::FileInfo info;
  if (system::get_info(place_of(target), system::Links::kKeep, info) &&
      info.kind == system::Kind::kLink) {
    const std::string real = system::real_path(target);
    if (real.empty() && errno != ENOENT) fail_system(target, "cannot be followed", errno);
    if (!real.empty()) target_ = real;
  }
  // Renaming over a device or a FIFO would take it away from all other users.
  const bool special = path_exists(target_) && !is_regular_file(target_) && !is_directory(target_);
  check(!special, Status::kArgument, target, ": not a regular file, and no other can be replaced");
  remove_stale_temporaries(target_);
  do {
    path_ = temporary_path(target_);
    try {
      file_ = create_file(path_, true);
    } catch (const Error&) {
      if (path_exists(path_))
        continue;  // a process with the same number, in another container for instance
      throw;
    }
    lock_ = file_.duplicate();  // keeps the lock when commit() closes the file
    if (!lock_) {
      const int error = errno;
      system::remove_file(path_.c_str());
      fail_system(path_, "cannot be locked", error);
    }
  } while (!lock_ || !lock(lock_.get()) || !still_has_name(lock_.get(), path_));
}

TemporaryFile::~TemporaryFile() {
  if (!path_.empty()) system::remove_file(path_.c_str());
}

void TemporaryFile::commit() {
  sync_and_close(file_, path_);
  if (!system::rename(path_.c_str(), target_.c_str()))
    fail_system(target_, "cannot be replaced", errno);
  path_.clear();
  lock_.close();
  sync_folder(parent_folder(target_));
}

ScratchFolder::ScratchFolder(const std::string& target) {
  remove_stale_temporaries(target);
  do {
    path_ = temporary_path(target);
    if (!system::make_folder(path_.c_str(), true)) {
      if (errno == EEXIST) continue;
      fail_system(path_, "cannot be created", errno);
    }
    lock_ = open_to_lock(path_);
    if (!lock_) {
      const int error = errno;
      system::remove_folder(path_.c_str());
      fail_system(path_, "cannot be locked", error);
    }
  } while (!lock_ || !lock(lock_.get()) || !still_has_name(lock_.get(), path_));
}

ScratchFolder::~ScratchFolder() { remove_tree(path_.c_str()); }

}  // namespace contrastive
