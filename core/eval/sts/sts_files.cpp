#include "core/eval/sts/sts_files.h"

#include <algorithm>
#include <filesystem>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/eval/sts/semeval_pairs.h"
#include "core/eval/sts/sts_table.h"

namespace contrastive::eval {
namespace {

namespace fs = std::filesystem;

constexpr int kMostFolders = 4;

// The contents of one folder, each list sorted by name.
struct Listing {
  std::vector<fs::path> inputs, tables, folders;
  bool is_set() const { return !inputs.empty() || !tables.empty(); }
};

Listing list(const fs::path& folder) {
  Listing listing;
  for (const std::string& name : names_in(folder.u8string())) {
    if (name[0] == '.') continue;
    const fs::path path = folder / fs::u8path(name);
    if (is_directory(path.u8string())) listing.folders.push_back(path);
    else if (is_semeval_input(name)) listing.inputs.push_back(path);
    else if (is_sts_table(name)) listing.tables.push_back(path);
  }
  // SICK was published twice: for the task, without scores, and later with them.
  const auto without_scores = [&](const fs::path& path) {
    return path_exists(path.parent_path().u8string() + "/" + path.stem().u8string() +
                       "_annotated.txt");
  };
  listing.tables.erase(std::remove_if(listing.tables.begin(), listing.tables.end(), without_scores),
                       listing.tables.end());
  for (auto* paths : {&listing.inputs, &listing.tables, &listing.folders})
    std::sort(paths->begin(), paths->end());
  return listing;
}

// Figures are named after their subset, and two files may give the same name (x.tsv and x.tsv.gz,
// or two tables with a column for the split): later ones also get the name of their file.
void add_subset(StsSubset subset, const fs::path& file, bool of_several,
                std::vector<StsSubset>& subsets) {
  const bool taken = std::any_of(subsets.begin(), subsets.end(),
                                 [&](const StsSubset& other) { return other.name == subset.name; });
  if (taken) subset.name = file.filename().u8string() + (of_several ? "/" + subset.name : "");
  subsets.push_back(std::move(subset));
}

std::vector<StsSubset> read_folder(const fs::path& folder, const Listing& listing,
                                   StsSplit wanted) {
  std::vector<StsSubset> subsets;
  for (const fs::path& input : listing.inputs)
    add_subset(read_semeval_pairs(input.u8string()), input, false, subsets);
  if (!subsets.empty()) return subsets;
  std::vector<std::string> splits;
  for (const fs::path& table : listing.tables)
    splits.push_back(split_of_file(table.filename().u8string()));
  const bool all_tell = std::find(splits.begin(), splits.end(), "") == splits.end();
  const std::string chosen = all_tell ? choose_split(splits, wanted, folder.u8string()) : "";
  for (size_t i = 0; i < splits.size(); ++i) {
    if (!chosen.empty() && splits[i] != chosen) continue;
    std::vector<StsSubset> found = read_sts_table(listing.tables[i].u8string(), wanted);
    for (StsSubset& subset : found)
      add_subset(std::move(subset), listing.tables[i], found.size() > 1, subsets);
  }
  return subsets;
}

struct Found {
  fs::path folder;
  Listing listing;
};

void find_sets(const fs::path& folder, int depth, std::vector<Found>& found) {
  Listing listing = list(folder);
  if (listing.is_set()) {
    found.push_back({folder, std::move(listing)});
    return;
  }
  if (depth == kMostFolders) return;
  for (const fs::path& below : listing.folders) find_sets(below, depth + 1, found);
}

bool is_below(const fs::path& path, const fs::path& folder) {
  return std::mismatch(folder.begin(), folder.end(), path.begin(), path.end()).first ==
         folder.end();
}

std::string set_name(const std::vector<Found>& found, const Found& set, const fs::path& root) {
  fs::path named = set.folder;
  while (named != root && named.parent_path() != root) {
    const fs::path above = named.parent_path();
    if (std::count_if(found.begin(), found.end(),
                      [&](const Found& other) { return is_below(other.folder, above); }) > 1)
      break;
    named = above;
  }
  std::string name = named.filename().u8string();
  constexpr std::string_view kEnd = "-en-test";
  if (name.size() > kEnd.size() && name.compare(name.size() - kEnd.size(), kEnd.size(), kEnd) == 0)
    name.resize(name.size() - kEnd.size());
  return name;
}

}  // namespace

std::vector<StsSet> read_sts_sets(const std::string& path, StsSplit split) {
  check(path_exists(path), Status::kNotFound, path, ": no such file or folder");
  if (!is_directory(path)) {
    const std::string name = fs::u8path(path).filename().u8string();
    if (is_semeval_input(name)) return {{name, {read_semeval_pairs(path)}}};
    return {{name, read_sts_table(path, split)}};
  }
  const fs::path root =
      fs::absolute(fs::u8path(path)).lexically_normal() / "";  // always with a slash at its end
  std::vector<Found> found;
  find_sets(root.parent_path(), 0, found);
  check(!found.empty(), Status::kNotFound, path, ": no STS data in it or up to ", kMostFolders,
        " folders down: looked for STS.input.*.txt, *.tsv, sts*.csv, SICK*.txt");
  std::vector<StsSet> sets;
  for (const Found& set : found) {
    std::string name = set_name(found, set, root.parent_path());
    const bool taken = std::any_of(sets.begin(), sets.end(),
                                   [&](const StsSet& other) { return other.name == name; });
    if (taken) name = set.folder.lexically_relative(root).generic_u8string();
    sets.push_back({std::move(name), read_folder(set.folder, set.listing, split)});
  }
  return sets;
}

std::vector<StsSubset> read_sts(const std::string& path, StsSplit split) {
  std::vector<StsSet> sets = read_sts_sets(path, split);
  std::string names;
  for (const StsSet& set : sets) names += (names.empty() ? "" : ", ") + set.name;
  check(sets.size() == 1, Status::kArgument, path, ": holds several data sets (", names,
        "); one is needed here");
  return std::move(sets[0].subsets);
}

}  // namespace contrastive::eval
