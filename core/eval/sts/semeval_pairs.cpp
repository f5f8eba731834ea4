#include "core/eval/sts/semeval_pairs.h"

#include <algorithm>
#include <filesystem>
#include <vector>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/eval/lines.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kInput = ".input.", kGold = ".gs.", kEnding = ".txt";

// An unreadable folder, which is unrelated to these data, counts as empty.
std::vector<std::string> readable_names_in(const fs::path& folder) {
  try {
    return names_in(folder.u8string());
  } catch (const Error&) {
    return {};
  }
}

bool holds_inputs(const fs::path& folder) {
  const std::vector<std::string> names = readable_names_in(folder);
  return std::any_of(names.begin(), names.end(), is_semeval_input);
}

// Another year may have a subset of the same name: folders that contain sentences are skipped.
fs::path find_gold(const fs::path& input) {
  std::string name = input.filename().u8string();
  name.replace(name.find(kInput), kInput.size(), kGold);
  const fs::path folder = input.parent_path();
  const fs::path beside = folder / fs::u8path(name);
  if (is_regular_file(beside.u8string())) return beside;
  const fs::path above = fs::absolute(folder).lexically_normal().parent_path();
  std::vector<fs::path> found;
  for (const std::string& sibling : readable_names_in(above)) {
    const fs::path other = above / fs::u8path(sibling), gold = other / fs::u8path(name);
    if (!is_directory(other.u8string()) || holds_inputs(other)) continue;
    if (is_regular_file(gold.u8string())) found.push_back(gold);
  }
  check(!found.empty(), Status::kNotFound, input.u8string(), ": its scores, ", name,
        ", are neither in its folder nor in a sibling of that folder");
  check(found.size() == 1, Status::kArgument, input.u8string(), ": its scores may be ",
        found[0].u8string(), " or ", found.back().u8string(),
        ": put the right file into its folder");
  return found[0];
}

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  return text;
}

std::vector<std::string> read_lines(const fs::path& path) {
  std::vector<std::string> lines;
  for_each_line(path.u8string(), [&](const TextLine& line) { lines.emplace_back(line.text); });
  return lines;
}

// Track 6 of 2017 was published like this, with 500 pairs for 250 scores.
void check_partners(const std::string& input, size_t inputs, const std::string& gold,
                    size_t golds) {
  const size_t both = std::min(inputs, golds);
  const std::string& longer = inputs > golds ? input : gold;
  check(inputs == golds, Status::kMismatch, longer, ":", both + 1,
        ": the first line without a partner: ", gold, " has ", golds, " lines of scores for the ",
        inputs, " lines of ", input,
        "; where all lines above it belong together, keep those: head -n ", both, " ", longer);
}

}  // namespace

bool is_semeval_input(const std::string& name) {
  const bool ends = name.size() > kEnding.size() &&
                    name.compare(name.size() - kEnding.size(), kEnding.size(), kEnding) == 0;
  return ends && name.compare(0, 3, "STS") == 0 && name.find(kInput) != std::string::npos;
}

StsSubset read_semeval_pairs(const std::string& input) {
  const fs::path path = fs::u8path(input), gold_path = find_gold(path);
  const std::vector<std::string> inputs = read_lines(path), golds = read_lines(gold_path);
  check_partners(input, inputs.size(), gold_path.u8string(), golds.size());
  StsSubset subset;
  const std::string name = path.filename().u8string();
  const size_t begin = name.find(kInput) + kInput.size();
  subset.name = name.substr(begin, name.size() - kEnding.size() - begin);
  for (size_t i = 0; i < inputs.size(); ++i) {
    const size_t tab = inputs[i].find('\t');
    check(tab != std::string::npos, Status::kFormat, input, ":", i + 1,
          ": one column, expected 'sentence TAB sentence'");
    const std::string_view gold = trimmed(golds[i]);
    if (gold.empty()) {
      ++subset.unscored;
      continue;
    }
    subset.gold.push_back(parse_number(gold, cat(gold_path.u8string(), ":", i + 1), "score"));
    subset.first.push_back(inputs[i].substr(0, tab));
    subset.second.push_back(inputs[i].substr(tab + 1, inputs[i].find('\t', tab + 1) - tab - 1));
  }
  check(!subset.gold.empty(), Status::kFormat, gold_path.u8string(),
        ": none of its pairs has a score");
  if (subset.unscored > 0)
    log_info(input, ": ", subset.unscored, " of ", inputs.size(),
             " pairs have no score and are left out");
  return subset;
}

}  // namespace contrastive::eval
