// The folder next to the output in which a running adaptation keeps its state: the inputs and the
// result of each step. A run that was killed continues from it.
#pragma once

#include <functional>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"

namespace contrastive::adapt {

class WorkFolder {
 public:
  // Creates "<output>.adapting", or continues with an existing one. kBusy if another process is
  // using it; kArgument if a folder of that name contains something else; kIo.
  explicit WorkFolder(const std::string& output);
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // Returns the result of `work`, or the stored result if an earlier run finished this step.
  // `inputs`: an object of everything that decides the result. kMismatch naming the member if the
  // step was finished (or with `keeps_partial` started) with other inputs.
  Json step(const std::string& name, const Json& inputs, bool keeps_partial,
            const std::function<Json()>& work);
  bool is_done(const std::string& name) const;

  // Removes the folder when it is no longer needed.
  void remove() noexcept;

 private:
  void expect_same(const std::string& name, const Json& inputs) const;

  std::string folder_;
  Descriptor lock_;
};

std::string work_folder_of(std::string output);

}  // namespace contrastive::adapt
