#include "core/adapt/work_folder.h"

#include <cerrno>
#include <cstdio>
#include <new>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/base/temporary.h"
#include "core/io/atomic_file.h"

namespace contrastive::adapt {
namespace {

std::string begun(const std::string& name) { return name + ".begun.json"; }
std::string done(const std::string& name) { return name + ".done.json"; }

}  // namespace

std::string work_folder_of(std::string output) {
  while (output.size() > 1 && output.back() == '/') output.pop_back();
  return output + ".adapting";
}

// Absolute, because steps remember it: another spelling of the output is the same adaptation.
WorkFolder::WorkFolder(const std::string& output) : folder_(absolute_path(work_folder_of(output))) {
  remove_stale_temporaries(folder_);
  make_folders(folder_);
  const bool is_empty = names_in(folder_).empty();
  const bool ours =
      is_empty ||
      path_exists(path("lock"));  // in this order: another process may be beginning here
  check(ours, Status::kArgument, folder_,
        ": the folder of an adaptation under way would be this one, but it holds other files. Move "
        "it, or name another output");
  lock_ = open_lock_file(path("lock"));
  if (system::try_lock(lock_.get()) == system::Locked::kYes) return;
  check(errno != EWOULDBLOCK, Status::kBusy, folder_,
        ": another process is adapting to this output");
  fail_system(folder_, "cannot be locked", errno);
}

bool WorkFolder::is_done(const std::string& name) const { return path_exists(path(done(name))); }

void WorkFolder::expect_same(const std::string& name, const Json& inputs) const {
  const Json before = read_json_file(path(begun(name)));
  check(before.is_object(), Status::kCorrupt, path(begun(name)), ": not a JSON object. Delete ",
        folder_, " to start over");
  std::string others;
  const auto compare = [&](const Json& a, const Json& b, bool both) {
    for (const auto& [key, value] : a.items()) {
      const auto other = b.find(key);
      if (other == b.end() || (both && *other != value))
        others += (others.empty() ? "" : ", ") + key;
    }
  };
  compare(inputs, before, true);
  compare(before, inputs, false);
  check(others.empty(), Status::kMismatch, folder_,
        ": an adaptation was broken off here, and its step '", name, "' was begun with another ",
        others, ". Use the same inputs to continue, or delete this folder to start over");
}

Json WorkFolder::step(const std::string& name, const Json& inputs, bool keeps_partial,
                      const std::function<Json()>& work) {
  const bool was_done = is_done(name);
  if (was_done || (keeps_partial && path_exists(path(begun(name))))) expect_same(name, inputs);
  if (was_done) {
    log_info("adapt: step ", name, " was done before");
    return read_json_file(path(done(name)), {int64_t{1} << 30, 64, false});
  }
  io::write_file_atomic(path(begun(name)), dump_ascii(inputs));
  Json result = work();
  io::write_file_atomic(path(done(name)), dump_ascii(result));
  return result;
}

// Written under another name first, so that a killed process leaves no incomplete file under the
// final one.
void WorkFolder::remove() noexcept {
  try {
    const std::string going = temporary_path(folder_);
    const bool renamed = system::rename(folder_.c_str(), going.c_str());
    remove_tree(renamed ? going.c_str() : folder_.c_str());
  } catch (const std::bad_alloc&) {
    remove_tree(folder_.c_str());
  }
  lock_.close();
}

}  // namespace contrastive::adapt
