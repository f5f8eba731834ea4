#include "core/train/kept_checkpoints.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::train {
namespace {

namespace fs = std::filesystem;
constexpr const char* kPrefix = "step-";
constexpr size_t kDigits = 10;

bool is_checkpoint(const std::string& name) {
  const std::string prefix = kPrefix;
  return name.size() == prefix.size() + kDigits && name.compare(0, prefix.size(), prefix) == 0 &&
         name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
}

std::vector<std::string> whole_checkpoints(const std::string& folder) {
  std::vector<std::string> paths;
  for (const auto& entry : fs::directory_iterator(folder)) {
    const bool whole = path_exists(entry.path().string() + "/training_state/manifest.json");
    if (is_checkpoint(entry.path().filename().string()) && whole) paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());  // digits of one length: by step
  return paths;
}

}  // namespace

void prepare_checkpoints(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  check(!path_exists(folder) || is_directory(folder), Status::kArgument, "config key 'checkpoints': '", folder, "' is no folder");
  check(is_directory(folder), Status::kIo, "config key 'checkpoints': '", folder, "' cannot be made: ", error.message());
}

std::string checkpoint_path(const std::string& folder, int64_t step) {
  std::string digits = std::to_string(step);
  if (digits.size() < kDigits) digits.insert(0, kDigits - digits.size(), '0');
  return folder + "/" + kPrefix + digits;
}

std::string best_checkpoint_path(const std::string& folder) { return folder + "/best"; }

std::string newest_checkpoint(const std::string& folder) {
  if (!is_directory(folder)) return "";
  for (int stage = 9; stage > 0; --stage) {
    const std::string newest = newest_checkpoint(cat(folder, "/stage", stage));
    if (!newest.empty()) return newest;
  }
  const std::vector<std::string> paths = whole_checkpoints(folder);
  return paths.empty() ? "" : paths.back();
}

void drop_old_checkpoints(const std::string& folder, int64_t keep) {
  if (keep == 0) return;
  const std::vector<std::string> paths = whole_checkpoints(folder);
  for (size_t i = 0; i + static_cast<size_t>(keep) < paths.size(); ++i) fs::remove_all(paths[i]);
}

}  // namespace contrastive::train
