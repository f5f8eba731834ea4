// Saves a folder atomically: it appears complete or not at all. Every checkpoint is saved this way.
// The files are written into a hidden folder next to the target (core/base/temporary.h) and made
// durable one by one. Then the two folders are exchanged in one step of the file system. At every
// instant, and after a kill or a power loss, the target is the complete old folder or the complete
// new one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/io/atomic_file.h"

namespace contrastive::io {

// Throws kArgument unless `folder` is empty or contains only the files of a model folder and
// `training_state`; the message names the first other entry. Replacing a folder deletes its
// contents, and must not delete anything that this library could not have written.
void check_replaceable_model(const std::string& folder);

// Removes the temporaries that killed processes left in `folder`, for every target that is not
// being saved now.
void clean_up_folder(const std::string& folder);

// True if nothing is at `path`, but a process that is saving may have moved the folder away for a
// moment: the folder or one of its parents is locked.
bool is_away(const std::string& path);

class AtomicFolder {
 public:
  using Check = std::function<void(const std::string& folder)>;

  // Locks `target` against other processes that save it (kBusy names the holder), removes what
  // killed processes left, and makes the temporary folder. Throws kIo if `target` is a file or its
  // parent cannot be written, and kNoSpace if the disk is full. `check` throws if an existing
  // target must not be replaced.
  explicit AtomicFolder(const std::string& target, const Check& check = check_replaceable_model);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();  // without commit(): removes everything written and leaves the target as it was

  const std::string& target() const { return target_; }   // links resolved
  const std::string& path() const { return temporary_; }  // where to write
  void require_space(int64_t bytes)
      const;  // throws kNoSpace before anything is written if the disk has too little space
  void make_folder(const std::string& name);
  void write_file(const std::string& name, std::string_view bytes);

  // Syncs every file and folder, exchanges them with the target and removes the old one. Call it
  // only once.
  void commit();

 private:
  void make_temporary();
  enum class Swap { kRenamed, kExchanged, kMovedAway };  // how the new folder was put in place
  Swap swap_with_target(std::string& other);
  void take_back(Swap swap, std::string& other, unsigned replaced) noexcept;

  friend void clean_up_folder(const std::string& folder);
  class Lock;
  std::string target_, temporary_;
  std::unique_ptr<Lock> lock_;
};

}  // namespace contrastive::io
