#include "core/io/kept_readme.h"

#include <algorithm>
#include <cerrno>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/io/atomic_file.h"
#include "core/io/model_card.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMostBytes = int64_t{64} << 20;

std::string kept_name(int64_t number) {
  return number == 1 ? "README.before.md" : cat("README.before-", number, ".md");
}

std::vector<std::string> kept_readmes(const std::string& folder) {
  std::vector<std::string> names;
  const auto entries = open_entries(folder);
  if (!entries && errno == ENOENT) return names;
  if (!entries) fail_system(folder, "cannot be listed", errno);
  while (const char* name = next_entry(entries.get(), folder)) {
    if (is_kept_readme(name) && is_regular_file(folder + "/" + name)) names.emplace_back(name);
  }
  std::sort(names.begin(), names.end());
  return names;
}

void copy(const std::string& from, const std::string& to) {
  OutputFile file(to);
  file.write(read_file(from, kMostBytes));
  file.finish();
}

}  // namespace

bool is_kept_readme(const std::string& name) {
  static const std::string kBegin = "README.before", kEnd = ".md";
  if (name.size() < kBegin.size() + kEnd.size() || name.rfind(kBegin, 0) != 0 ||
      name.substr(name.size() - kEnd.size()) != kEnd)
    return false;
  const std::string number = name.substr(kBegin.size(), name.size() - kBegin.size() - kEnd.size());
  return number.empty() || (number.size() > 1 && number.size() < 7 && number[0] == '-' &&
                            number.find_first_not_of("0123456789", 1) == std::string::npos);
}

void check_readme(const std::string& path) {
  if (is_regular_file(path)) read_file(path, kMostBytes);
}

void keep_readme(const std::string& target, const std::string& fresh) {
  const std::vector<std::string> kept = kept_readmes(target);
  for (const std::string& name : kept) copy(target + "/" + name, fresh + "/" + name);
  const std::string readme = target + "/README.md";
  if (!is_regular_file(readme)) return;
  const std::string text = read_file(readme, kMostBytes);
  if (is_untouched_card(text) || text == read_file(fresh + "/README.md", kMostBytes)) return;
  const auto same = [&](const std::string& name) {
    return read_file(target + "/" + name, kMostBytes) == text;
  };
  if (std::any_of(kept.begin(), kept.end(), same)) return;
  int64_t number = 1;
  while (path_exists(fresh + "/" + kept_name(number))) ++number;
  copy(readme, fresh + "/" + kept_name(number));
  log_info(target, ": README.md was not written by this library. It is kept as ", kept_name(number),
           " next to the new model card");
}

}  // namespace contrastive::io
