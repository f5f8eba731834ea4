// The folder beside the output in which an adaptation stands while it is under way: what each step
// was begun with, and what the steps that are done gave. A run that was killed finds there how far
// it had come.
#pragma once

#include <functional>
#include <string>

#include "core/base/file.h"
#include "core/base/json.h"

namespace contrastive::adapt {

class WorkFolder {
 public:
  // Makes "<output>.adapting", or goes on with it. kBusy where another process is at work in it;
  // kArgument where a folder of that name holds something else; kIo.
  explicit WorkFolder(const std::string& output);
  WorkFolder(const WorkFolder&) = delete;
  WorkFolder& operator=(const WorkFolder&) = delete;

  std::string path(const std::string& name) const { return folder_ + "/" + name; }

  // What `work` gives, or gave in the run that was broken off. `inputs`: an object of everything
  // that decides it. kMismatch naming the member where the step was done, or with `keeps_partial`
  // begun, with others.
  Json step(const std::string& name, const Json& inputs, bool keeps_partial,
            const std::function<Json()>& work);
  bool is_done(const std::string& name) const;

  // Removes the folder, which is of no use any more.
  void remove() noexcept;

 private:
  void expect_same(const std::string& name, const Json& inputs) const;

  std::string folder_;
  Descriptor lock_;
};

std::string work_folder_of(std::string output);

}  // namespace contrastive::adapt
