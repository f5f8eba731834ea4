// Temporary files and folders that are renamed when they are complete. All temporaries of the
// library and of its program are named ".<name>.tmp-<pid>-<n>" in the folder where <name> will be.
// So the next process that saves recognises and removes what a killed process left.
//
// The process that writes a temporary file or folder holds a lock on it, which the system
// releases however the process ends. A temporary without a lock, and whose process number belongs
// to no other running process, is abandoned.
#pragma once

#include <functional>
#include <string>

#include "core/base/file.h"
#include "core/system/process.h"

namespace contrastive {

// A name that this process has not used yet.
std::string temporary_path(const std::string& target);

// The final name of a temporary called `name`: ".model.tmp-12-0" -> "model". "" if `name` is not a
// temporary. Also recognises the name during a swap of two folders (".model.tmp-12-0.old"), and the
// temporary and the lock of a save into a temporary ("..model.tmp-12-0.lock").
std::string target_of_temporary(const std::string& name);
// True if the temporary called `name` was made by another process that is still running. If the
// process number has been reused, the temporary is kept.
bool of_another_living_process(const std::string& name);

// Removes the abandoned temporaries of `target`, files or folders.
void remove_stale_temporaries(const std::string& target);
// Like remove_stale_temporaries, for a caller that holds the lock of `target` itself
// (core/io/atomic_folder.h). No running process can be making that folder, so the process number in
// a name does not matter; it may be the number of a process in another container. Temporaries for
// which `kept` returns true stay.
void remove_dead_temporaries(const std::string& target,
                             const std::function<bool(const std::string& path)>& kept);

// A file that gets its name in commit(). Without commit() it is removed.
class TemporaryFile {
 public:
  // Removes abandoned temporaries of the same target. If the target is a link, the link stays and
  // the file that it leads to is replaced; a dangling link is replaced itself. Throws kIo or
  // kNoSpace.
  explicit TemporaryFile(const std::string& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int descriptor() const { return file_.get(); }
  const std::string& path() const { return path_; }
  // Makes the bytes durable, renames the file, and makes the new name durable.
  void commit();

 private:
  std::string target_, path_;
  Descriptor file_, lock_;
};

using system::temporary_folder;

// A temporary folder that exists as long as this object.
class ScratchFolder {
 public:
  explicit ScratchFolder(const std::string& target);
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder();
  const std::string& path() const { return path_; }

 private:
  std::string path_;
  Descriptor lock_;
};

}  // namespace contrastive
