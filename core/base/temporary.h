// What is written under another name before it has its own. Every temporary of the library and of
// its program is named by one rule, so that whoever saves next knows what a killed process left,
// and removes it: ".<name>.tmp-<pid>-<n>" beside what is to be <name>.
//
// Whoever writes a temporary file or folder holds a lock on it (flock), which the kernel gives back
// however the process ends. A temporary without a lock, of no other process that lives, is
// nobody's.
#pragma once

#include <functional>
#include <string>

#include "core/base/file.h"

namespace contrastive {

// A name that this process has not used yet.
std::string temporary_path(const std::string& target);

// What the temporary called `name` was to become: ".model.tmp-12-0" -> "model". "" where `name` is
// none. Known are also what it is called while two folders change places (".model.tmp-12-0.old"),
// and the temporary and the lock of what was saved into it ("..model.tmp-12-0.lock").
std::string target_of_temporary(const std::string& name);
// Whether the process that made the temporary called `name` is another one, and lives. A number may
// be somebody else's by now: then it is left alone.
bool of_another_living_process(const std::string& name);

// Removes the temporaries of `target`, files or folders, that nobody holds.
void remove_stale_temporaries(const std::string& target);
// The same for who holds the lock of `target` itself (core/io/atomic_folder.h): no process that
// lives makes a folder of it, so that the number in a name decides nothing. It may be that of
// another process in another container. Those stay of which `kept` says so, given the path of each.
void remove_dead_temporaries(const std::string& target,
                             const std::function<bool(const std::string& path)>& kept);

// A file that has its name when commit() has returned, and is gone when commit() was not called.
class TemporaryFile {
 public:
  // Removes what the dead left of the same target. A link stays a link: the file that it leads to
  // is replaced. One that leads nowhere is replaced itself. kIo, kNoSpace.
  explicit TemporaryFile(const std::string& target);
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();

  int descriptor() const { return file_.get(); }
  const std::string& path() const { return path_; }
  // Makes the bytes durable, gives them their name, makes the name durable.
  void commit();

 private:
  std::string target_, path_;
  Descriptor file_, lock_;
};

// Where temporaries go that belong beside no file: TMPDIR, else /tmp.
std::string temporary_folder();

// A folder for the time of this object.
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
