#include "core/eval/sts/sts_split.h"

#include <algorithm>
#include <cctype>

#include "core/base/error.h"

namespace contrastive::eval {
namespace {

constexpr std::pair<const char*, const char*> kWords[] = {
    {"train", "train"}, {"dev", "dev"},   {"test", "test"},      {"trial", "dev"},
    {"val", "dev"},     {"valid", "dev"}, {"validation", "dev"},
};

const char* name_of(StsSplit split) {
  if (split == StsSplit::kTrain) return "train";
  return split == StsSplit::kDev || split == StsSplit::kPreferDev ? "dev" : "test";
}

}  // namespace

const std::vector<std::pair<std::string, StsSplit>>& sts_split_names() {
  static const std::vector<std::pair<std::string, StsSplit>> names = {{"", StsSplit::kPreferTest},
                                                                      {"train", StsSplit::kTrain},
                                                                      {"dev", StsSplit::kDev},
                                                                      {"test", StsSplit::kTest},
                                                                      {"all", StsSplit::kAll}};
  return names;
}

std::string known_split(std::string_view word) {
  std::string lower(word);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  for (const auto& [known, split] : kWords) {
    if (lower == known) return split;
  }
  return "";
}

std::string split_of_file(const std::string& name) {
  std::string stem = name;
  for (const char* ending : {".gz", ".tsv", ".csv", ".txt", "_annotated"}) {
    const std::string end = ending;
    if (stem.size() > end.size() && stem.compare(stem.size() - end.size(), end.size(), end) == 0)
      stem.resize(stem.size() - end.size());
  }
  const size_t mark = stem.find_last_of("-_.");
  return known_split(mark == std::string::npos ? stem : stem.substr(mark + 1));
}

std::string choose_split(const std::vector<std::string>& present, StsSplit wanted,
                         const std::string& where) {
  const auto has = [&](const std::string& split) {
    return std::find(present.begin(), present.end(), split) != present.end();
  };
  const bool choice = std::any_of(present.begin(), present.end(),
                                  [&](const std::string& split) { return split != present[0]; });
  if (wanted == StsSplit::kAll || (wanted <= StsSplit::kPreferDev && !choice)) return "";
  if (wanted == StsSplit::kPreferTest && !has("test")) return "dev";  // of train and dev
  const std::string name = name_of(wanted);
  check(has(name), Status::kNotFound, where, ": has no split '", name, "'");
  return name;
}

}  // namespace contrastive::eval
