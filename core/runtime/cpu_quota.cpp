#include "core/runtime/cpu_quota.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <sstream>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::runtime {
namespace {

// The text of a file; "" if it does not exist or cannot be read.
std::string text_of(const std::string& path) {
  constexpr int64_t kMost = int64_t{1} << 20;  // a list of mounts can be long; the other files have
                                               // a few lines
  try {
    const Descriptor file = open_file(path, FileUse::kRead);
    std::string text(static_cast<size_t>(kMost), '\0');
    text.resize(static_cast<size_t>(read_up_to(file.get(), text.data(), kMost, 0, path)));
    return text;
  } catch (const Error&) {
    return "";
  }
}

bool has_word(const std::string& list, const std::string& word) {
  std::istringstream words(list);
  for (std::string one; std::getline(words, one, ',');) {
    if (one == word) return true;
  }
  return false;
}

// A control group of the process, as folders: `folder` is its own, `top` is the highest visible
// one.
struct Group {
  std::string top, folder;
  bool v2;
};

// The kernel writes a space in a mount's path as \040.
std::string unescaped(const std::string& text) {
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    const auto octal = [&](size_t at) {
      return at < text.size() && text[at] >= '0' && text[at] <= '7';
    };
    if (text[i] == '\\' && octal(i + 1) && octal(i + 2) && octal(i + 3)) {
      plain += static_cast<char>((text[i + 1] - '0') * 64 + (text[i + 2] - '0') * 8 +
                                 (text[i + 3] - '0'));
      i += 3;
    } else {
      plain += text[i];
    }
  }
  return plain;
}

// The process's `path` relative to the mounted group: "" if it is the mount itself, or if it is
// outside the mount. (A container sees its own group as the mount, but the kernel names it by its
// path outside the container.)
std::string below(const std::string& path, const std::string& mounted) {
  const std::string root = mounted == "/" ? "" : mounted;
  if (path.compare(0, root.size(), root) != 0 || path.find("/..") != std::string::npos) return "";
  const std::string rest = path.substr(root.size());
  return rest.empty() || rest == "/" || rest[0] != '/' ? "" : rest;
}

std::vector<Group> groups_of_process(const std::string& root) {
  std::optional<std::string> v1, v2;
  std::istringstream own(text_of(root + "/proc/self/cgroup"));
  for (std::string line; std::getline(own, line);) {  // number:controllers:path
    const size_t first = line.find(':'),
                 second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = line.substr(first + 1, second - first - 1),
                      path = line.substr(second + 1);
    if (controllers.empty()) v2 = path;
    else if (has_word(controllers, "cpu")) v1 = path;
  }
  std::vector<Group> groups;
  std::istringstream mounts(text_of(root + "/proc/self/mountinfo"));
  for (std::string line; std::getline(mounts, line);) {
    // number parent device root place options [fields...] - kind source options
    const size_t dash = line.find(" - ");
    if (dash == std::string::npos) continue;
    std::istringstream head(line.substr(0, dash)), tail(line.substr(dash + 3));
    std::string skipped, mounted, place, kind, options;
    head >> skipped >> skipped >> skipped >> mounted >> place;
    tail >> kind >> skipped >> options;
    const bool is_v2 = kind == "cgroup2", is_v1 = kind == "cgroup" && has_word(options, "cpu");
    const std::optional<std::string>& path = is_v2 ? v2 : v1;
    if ((!is_v1 && !is_v2) || !path) continue;
    const std::string top = root + unescaped(place);
    groups.push_back({top, top + below(*path, unescaped(mounted)), is_v2});
  }
  return groups;
}

// The number of processors that the group of the folder allows; infinity if it sets no limit.
double granted(const std::string& folder, bool v2) {
  constexpr double kNone = std::numeric_limits<double>::infinity();
  double quota = 0, period = 0;
  if (v2) {
    std::istringstream file(text_of(folder + "/cpu.max"));
    if (!(file >> quota >> period)) return kNone;  // "max 100000" has no limit
  } else {
    std::istringstream text(text_of(folder + "/cpu.cfs_quota_us") + " " +
                            text_of(folder + "/cpu.cfs_period_us"));
    if (!(text >> quota >> period)) return kNone;
  }
  return quota > 0 && period > 0 ? quota / period : kNone;  // v1: -1 for no limit
}

}  // namespace

int cpu_quota(const std::string& root) {
  double least = std::numeric_limits<double>::infinity();
  for (const Group& group : groups_of_process(root)) {
    for (std::string folder = group.folder;; folder.erase(folder.rfind('/'))) {
      least = std::min(least, granted(folder, group.v2));
      if (folder.size() <= group.top.size()) break;
    }
  }
  constexpr double kMost = 1 << 20;
  return least <= kMost ? std::max(1, static_cast<int>(std::ceil(least))) : 0;
}

}  // namespace contrastive::runtime
