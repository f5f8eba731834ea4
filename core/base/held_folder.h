// Holds a folder open while this thread reads several files of it. If the folder is renamed and
// another one takes its path, this thread still opens what is below the path (through
// core/base/file.h) in the folder that it holds, so its files all come from one folder.
#pragma once

#include <string>

#include "core/base/file.h"

namespace contrastive {

// Where a path is looked up: in an open folder, by a name relative to it.
struct Place {
  int folder;
  const char* name;  // points into the path that was asked for
};

// Holders nest, for other folders or for one inside; they must be destroyed in the reverse order,
// by the thread that made them.
class HeldFolder {
 public:
  // Holds nothing where the folder cannot be opened.
  explicit HeldFolder(const std::string& path);
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  ~HeldFolder();

  const std::string& path() const { return path_; }
  // Nothing was at the path when this was made.
  bool was_absent() const { return absent_; }
  // Whether the path still leads to what it led to then: the folder, or nothing.
  bool is_current() const;

  // Where this thread looks up `path`: AT_FDCWD and the path itself outside of all held folders.
  static Place place_of(const std::string& path);

 private:
  std::string path_;  // without slashes at its end
  const HeldFolder* outer_;
  Descriptor folder_;
  bool absent_ = false;
};

}  // namespace contrastive
