// A folder that appears whole or not at all: the save protocol of every checkpoint. The files are
// written into a hidden folder beside the target (core/base/temporary.h), made durable one by one,
// and the two folders change places in one step of the file system. At every instant, and after a
// kill or a power loss, the target is the old complete folder or the new complete one.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/io/atomic_file.h"

namespace contrastive::io {

// kArgument unless `folder` is empty or holds nothing but the files of a model folder and
// `training_state`: replacing it deletes what is in it, and nothing that this library could not
// have written may be lost that way. The message names the first other entry.
void check_replaceable_model(const std::string& folder);

// Removes what savers that were killed left in `folder`, of any target in it that nobody saves to
// now.
void clean_up_folder(const std::string& folder);

// True where nothing is at `path` and a saver may have moved the folder away for a moment: there is
// a lock of it, or of a folder around it.
bool is_away(const std::string& path);

class AtomicFolder {
 public:
  using Check = std::function<void(const std::string& folder)>;

  // Locks `target` against other savers of any process (kBusy names the holder), removes what dead
  // savers left, and makes the temporary folder. kIo when `target` is a file or its parent cannot
  // be written, kNoSpace when the disk is full. `check` throws where an existing target must stay.
  explicit AtomicFolder(const std::string& target, const Check& check = check_replaceable_model);
  AtomicFolder(const AtomicFolder&) = delete;
  AtomicFolder& operator=(const AtomicFolder&) = delete;
  ~AtomicFolder();  // without commit(): everything written is removed, the target stays as it was

  const std::string& target() const { return target_; }   // links resolved
  const std::string& path() const { return temporary_; }  // where to write
  void require_space(int64_t bytes)
      const;  // kNoSpace before anything is written, where the disk cannot take as much
  void make_folder(const std::string& name);
  void write_file(const std::string& name, std::string_view bytes);

  // Syncs every file and folder, changes places with the target and removes the old one. Once only.
  void commit();

 private:
  void make_temporary();
  enum class Swap { kRenamed, kExchanged, kMovedAway };  // how the new folder came to its place
  Swap swap_with_target(std::string& other);
  void take_back(Swap swap, std::string& other, mode_t replaced) noexcept;

  friend void clean_up_folder(const std::string& folder);
  class Lock;
  std::string target_, temporary_;
  std::unique_ptr<Lock> lock_;
};

}  // namespace contrastive::io
