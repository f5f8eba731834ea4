// Holds a folder open while this thread reads several files from it. If the folder is renamed and
// another one takes its path, this thread still opens paths below it (through core/base/file.h) in
// the folder that it holds. So all its files come from one folder.
#pragma once

#include <string>

#include "core/base/file.h"

namespace contrastive {

// Held folders can be nested: another folder, or one inside. The thread that made them must destroy
// them in reverse order.
class HeldFolder {
 public:
  // Holds nothing if the folder cannot be opened.
  explicit HeldFolder(const std::string& path);
  HeldFolder(const HeldFolder&) = delete;
  HeldFolder& operator=(const HeldFolder&) = delete;
  ~HeldFolder();

  const std::string& path() const { return path_; }
  // True if the path did not exist when this object was made.
  bool was_absent() const { return absent_; }
  // True if the path still leads to the same folder as then, or still to nothing.
  bool is_current() const;

  // Where this thread looks up `path`: the working folder and the path itself if it is in no held
  // folder. The name points into `path`.
  static system::Place place_of(const std::string& path);

 private:
  std::string path_;  // without trailing slashes
  const HeldFolder* outer_;
  Descriptor folder_;
  bool absent_ = false;
};

}  // namespace contrastive
