#include "core/torch/run/kept_checkpoints.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/temporary.h"
#include "core/io/atomic_folder.h"

namespace contrastive::run {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefix = "step-";
constexpr size_t kDigits = 10;
constexpr size_t kMostStages = 9;

bool is_checkpoint(const std::string& name) {
  const std::string prefix = kPrefix;
  return name.size() == prefix.size() + kDigits && name.compare(0, prefix.size(), prefix) == 0 &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

std::vector<std::string> whole_checkpoints(const std::string& folder) {
  std::vector<std::string> paths;
  const auto entries = open_entries(folder);
  if (!entries) fail_system(folder, "cannot be listed", errno);
  while (const char* name = next_entry(entries.get(), folder)) {
    const std::string path = fs::path(folder) / name;
    if (is_checkpoint(name) && path_exists(path + "/training_state/manifest.json"))
      paths.push_back(path);
  }
  std::sort(paths.begin(), paths.end());  // digits of one length: by step
  return paths;
}

int64_t step_of(const std::string& path) { return std::stoll(path.substr(path.size() - kDigits)); }

std::string stage_path(const std::string& folder, size_t stage) {
  return cat(folder, "/stage", stage);
}

// The first checkpoint of another run in the folder; empty if no file conflicts.
std::string used_by(const std::string& folder) {
  if (!is_directory(folder)) return "";
  for (size_t stage = 1; stage <= kMostStages; ++stage) {
    const std::string found = used_by(stage_path(folder, stage));
    if (!found.empty()) return found;
  }
  const std::vector<std::string> paths = whole_checkpoints(folder);
  if (!paths.empty()) return paths.back();
  return path_exists(best_checkpoint_path(folder)) ? best_checkpoint_path(folder) : "";
}

// Renames the folder before deleting it, so that no reader finds it half deleted.
void drop(const std::string& path) {
  const std::string nameless = temporary_path(path);
  if (!system::rename(path.c_str(), nameless.c_str())) {
    if (errno != ENOENT) fail_system(path, "cannot be removed", errno);
    return;
  }
  remove_tree(nameless.c_str());  // the next save deletes anything left over
}

}  // namespace

std::string checkpoints_of(const Config& config) {
  const Json* folder = config.find("checkpoints");
  if (folder == nullptr) return "";
  return folder->is_string() ? folder->get<std::string>() : folder->dump();
}

void prepare_checkpoints(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  check(!path_exists(folder) || is_directory(folder), Status::kArgument,
        "config key 'checkpoints': '", folder, "' is not a folder");
  if (!is_directory(folder))
    fail_system(folder, "the folder of config key 'checkpoints' cannot be created", error.value());
  io::clean_up_folder(
      folder);  // a killed save may have been of an update that this run never saves
}

void refuse_used_checkpoints(const std::string& folder) {
  const std::string found = used_by(folder);
  check(found.empty(), Status::kArgument, "config key 'checkpoints': '", folder,
        "' holds the checkpoints of another run (", found,
        "): resume that run, name another folder, or remove them");
}

std::string checkpoint_path(const std::string& folder, int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return folder + "/" + kPrefix + digits;
}

std::string best_checkpoint_path(const std::string& folder) { return folder + "/best"; }

std::string newest_checkpoint(const std::string& folder) {
  if (!is_directory(folder)) return "";
  for (size_t stage = kMostStages; stage > 0; --stage) {
    const std::string newest = newest_checkpoint(stage_path(folder, stage));
    if (!newest.empty()) return newest;
  }
  const std::vector<std::string> paths = whole_checkpoints(folder);
  return paths.empty() ? "" : paths.back();
}

void drop_old_checkpoints(const std::string& folder, int64_t keep) {
  if (keep == 0) return;
  const std::vector<std::string> paths = whole_checkpoints(folder);
  for (size_t i = 0; i + static_cast<size_t>(keep) < paths.size(); ++i) drop(paths[i]);
}

void drop_later_checkpoints(const std::string& folder, int64_t step) {
  for (const std::string& path : whole_checkpoints(folder)) {
    if (step_of(path) > step) drop(path);
  }
}

void drop_later_stages(const std::string& folder, size_t stage) {
  for (size_t later = stage + 1; later <= kMostStages; ++later) {
    const std::string path = stage_path(folder, later);
    if (!is_directory(path)) continue;
    drop_later_checkpoints(path, -1);
    drop(best_checkpoint_path(path));
  }
}

}  // namespace contrastive::run
