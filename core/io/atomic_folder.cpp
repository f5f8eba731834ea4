#include "core/io/atomic_folder.h"

#include <cerrno>
#include <filesystem>
#include <set>
#include <system_error>
#include <utility>

#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/base/temporary.h"
#include "core/system/path.h"
#include "core/system/process.h"

namespace contrastive::io {
namespace {

constexpr const char* kOld = ".old";  // the suffix of a target while it is moved away, on a file
                                      // system that cannot exchange two names

system::Place place_of(const std::string& path) { return {system::kWorkingFolder, path.c_str()}; }

bool look(const std::string& path, system::FileInfo& info) {
  return system::get_info(place_of(path), system::Links::kFollow, info);
}

std::string resolve_target(std::string path) {
  check(!path.empty(), Status::kArgument, "the path to save to is empty");
  check(path.find('\0') == std::string::npos, Status::kArgument, "the path to save to holds a NUL");
  while (path.size() > system::root_length(path) && system::is_separator(path.back()))
    path.pop_back();
  if (path_exists(path)) {
    // Follow the links of an existing target: replace the folder, not the link that a user made to
    // it.
    const std::string real = system::real_path(path);
    if (real.empty()) fail_system(path, "cannot be resolved", errno);
    path = real;
    check(is_directory(path), Status::kIo, path,
          ": is a file; a folder is written, choose another name");
  }
  const std::string name = base_name(path);
  check(!name.empty() && name != "." && name != "..", Status::kArgument, path,
        ": cannot be replaced as a whole; choose a separate folder");
  return path;
}

void sync_tree(const std::string& folder) {
  const auto entries = open_entries(folder);
  if (!entries) fail_system(folder, "cannot be listed", errno);
  while (const char* name = next_entry(entries.get(), folder)) {
    const std::string path = folder + "/" + name;
    system::FileInfo info;
    if (!system::get_info(place_of(path), system::Links::kKeep, info))
      fail_system(path, "cannot be looked at", errno);
    if (info.kind == system::Kind::kFolder) sync_tree(path);
    if (info.kind == system::Kind::kFile) sync_file(path);
  }
  sync_folder(folder);
}

std::string lock_path(const std::string& target) {
  return parent_folder(target) + "/." + base_name(target) + ".lock";
}

// True for ".model.tmp-12-0.old" of this target, but not for what was moved away while
// ".model.tmp-12-0" itself was saved.
bool is_moved_away(const std::string& path, const std::string& target) {
  const std::string name = base_name(path);
  return name.rfind("." + base_name(target) + ".", 0) == 0 && name.size() > 4 &&
         name.compare(name.size() - 4, 4, kOld) == 0;
}

// While we hold the lock, no other process saves to `target`: its temporaries are from killed
// processes. One of them may have moved the target itself away.
void clean_up_after_the_dead(const std::string& target) {
  remove_dead_temporaries(target, [&](const std::string& path) {
    return is_moved_away(path, target) && !path_exists(target) &&
           system::rename(path.c_str(), target.c_str());
  });
}

}  // namespace

bool is_away(const std::string& path) {
  constexpr int kMostSteps = 64;
  std::string folder = path;
  for (int step = 0; step < kMostSteps && !path_exists(folder); ++step) {
    if (path_exists(lock_path(folder))) return true;
    // A saving process resolves links before it locks: the lock is next to the folder that a link
    // leads to.
    const std::string target = link_target(folder), parent = parent_folder(folder);
    folder = target.empty() ? parent : system::is_absolute(target) ? target : parent + "/" + target;
  }
  return false;
}

// Locks ".<name>.lock" next to the target. The system releases the lock when its holder dies.
class AtomicFolder::Lock {
 public:
  explicit Lock(const std::string& target) : path_(lock_path(target)) {
    while (true) {
      file_ = open_lock_file(path_);
      if (system::try_lock(file_.get()) != system::Locked::kYes) refuse(target, errno);
      // The previous holder may have removed the file before we locked it. Then this lock protects
      // nothing.
      system::FileInfo ours, there;
      if (system::get_info(file_.get(), ours) && look(path_, there) && ours.is_same_file(there))
        break;
    }
    const std::string number = std::to_string(system::process_number()) + "\n";
    if (!system::resize(file_.get(), 0) ||
        system::write_on(file_.get(), number.data(), number.size()) < 0) {
      // The process number is only for error messages. If the disk is full, writing the model
      // reports it.
    }
  }
  Lock(const Lock&) = delete;
  Lock& operator=(const Lock&) = delete;
  ~Lock() { system::remove_file(path_.c_str()); }

 private:
  [[noreturn]] void refuse(const std::string& target, int error) {
    if (error != EWOULDBLOCK) fail_system(path_, "cannot be locked", error);
    char text[32] = {};
    const int64_t n = system::read_at(file_.get(), text, sizeof(text) - 1, 0);
    const std::string number = n > 0 ? text : "?";
    fail(Status::kBusy, target, ": process ", number.substr(0, number.find('\n')),
         " is saving to this folder");
  }

  std::string path_;
  Descriptor file_;
};

void clean_up_folder(const std::string& folder) {
  std::set<std::string> targets;
  if (!is_directory(folder)) return;
  for (const std::string& entry : names_in(folder)) {
    const std::string name = target_of_temporary(entry);
    if (!name.empty()) targets.insert(folder + "/" + name);
  }
  for (const std::string& target : targets) {
    try {
      const AtomicFolder::Lock lock(target);
      clean_up_after_the_dead(target);
    } catch (const Error& busy) {
      log_info(busy.what());
    }
  }
}

AtomicFolder::AtomicFolder(const std::string& target, const Check& check)
    : target_(resolve_target(target)) {
  make_folders(parent_folder(target_));
  lock_ = std::make_unique<Lock>(target_);
  clean_up_after_the_dead(target_);
  if (check && path_exists(target_)) check(target_);
  make_temporary();
}

AtomicFolder::~AtomicFolder() {
  if (!temporary_.empty()) remove_tree(temporary_.c_str());
}

void AtomicFolder::make_temporary() {
  do {
    temporary_ = temporary_path(target_);
    if (system::make_folder(temporary_.c_str(), true)) break;
    const int error = errno;
    const std::string path = std::exchange(temporary_, "");
    if (error != EEXIST) fail_system(path, "cannot be created", error);
  } while (true);
  // The umask may have removed our own permissions. Other users get theirs at the end.
  if (!system::set_permissions(temporary_.c_str(), 0700))
    fail_system(temporary_, "cannot be opened to its owner", errno);
}

void AtomicFolder::require_space(int64_t bytes) const {
  const int64_t free = system::free_space(temporary_.c_str());
  if (free < 0) return;  // unknown: writing will report it
  check(free >= bytes, Status::kNoSpace, target_, ": ", bytes,
        " bytes are to be written, and the disk has ", free);
}

void AtomicFolder::make_folder(const std::string& name) {
  const std::string path = join_inside(temporary_, name, target_);
  if (!system::make_folder(path.c_str(), false)) fail_system(path, "cannot be created", errno);
  system::FileInfo info;
  const bool opened =
      look(path, info) && system::set_permissions(path.c_str(), info.permissions | 0700);
  if (!opened) fail_system(path, "cannot be opened to its owner", errno);
}

void AtomicFolder::write_file(const std::string& name, std::string_view bytes) {
  OutputFile file(join_inside(temporary_, name, target_));
  file.write(bytes);
  file.finish();
}

void AtomicFolder::commit() {
  check(!temporary_.empty(), Status::kState, target_, ": was committed already");
  // Use the permissions of the folder that is replaced, or those that the umask gives a new one.
  system::FileInfo old, probe;
  unsigned permissions = 0700;
  const bool replaces = look(target_, old);
  const std::string probe_path = temporary_ + "/.mode";
  if (replaces) {
    permissions |= old.permissions;
  } else if (system::make_folder(probe_path.c_str(), false)) {
    if (look(probe_path, probe)) permissions |= probe.permissions;
    system::remove_folder(probe_path.c_str());
  }
  if (!system::set_permissions(temporary_.c_str(), permissions))
    fail_system(temporary_, "its rights cannot be set", errno);
  sync_tree(temporary_);
  // Make all names that are needed from here on: no memory must be allocated after the exchange.
  const std::string parent = parent_folder(target_);
  std::string other = temporary_ + kOld;
  const Swap swap = swap_with_target(other);
  try {
    sync_folder(parent);
  } catch (...) {
    take_back(swap, other, replaces ? old.permissions : 0);
    throw;
  }
  remove_tree(temporary_.c_str());  // the old folder; the next save removes what remains
  temporary_.clear();
  lock_.reset();
}

AtomicFolder::Swap AtomicFolder::swap_with_target(std::string& other) {
  const char *const here = temporary_.c_str(), *const there = target_.c_str();
  // If the target is missing or an empty folder, a plain rename is atomic.
  if (system::rename(here, there)) return Swap::kRenamed;
  if (errno != ENOTEMPTY && errno != EEXIST) fail_system(target_, "cannot be put in place", errno);
  if (system::exchange(here, there)) return Swap::kExchanged;
  if (errno != EINVAL && errno != ENOSYS && errno != ENOTSUP)
    fail_system(target_, "cannot be replaced", errno);
  // The file system cannot exchange two names. The target is missing between two renames; if the
  // process is killed there, the next save puts it back.
  if (errno != ENOSYS)  // Windows never can
    log_warning(target_,
                ": this file system cannot exchange two folders; the replacement is not atomic");
  if (!system::rename(there, other.c_str())) fail_system(target_, "cannot be moved away", errno);
  if (!system::rename(here, there)) {
    const int error = errno;
    if (!system::rename(other.c_str(), there))
      log_warning(other, ": is the folder that was at ", target_);
    fail_system(target_, "cannot be put in place", error);
  }
  temporary_.swap(other);
  return Swap::kMovedAway;
}

// Puts the old target back after an error, before the caller is told. `replaced`: the permissions
// of the old folder.
void AtomicFolder::take_back(Swap swap, std::string& other, unsigned replaced) noexcept {
  const char *const here = temporary_.c_str(), *const there = target_.c_str();
  bool done = false;
  if (swap == Swap::kExchanged) {
    done = system::exchange(here, there);
  } else if (swap == Swap::kRenamed) {
    done = system::rename(there, here) &&
           (replaced == 0 ||
            (system::make_folder(there, true) && system::set_permissions(there, replaced)));
  } else if (system::rename(there, other.c_str())) {
    done = system::rename(here, there);
    if (done) temporary_.swap(other);
    else system::rename(other.c_str(), there);
  }
  if (done) return;
  temporary_.clear();  // keep both folders: it is unknown which one is on the disk
  try {
    log_warning(target_, ": may contain the new save; a folder next to it whose name begins "
                         "with '.' contains the other version until the next save");
  } catch (...) {  // the original error is reported
  }
}

}  // namespace contrastive::io
