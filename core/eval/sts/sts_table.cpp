#include "core/eval/sts/sts_table.h"

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <string_view>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/eval/lines.h"
#include "core/eval/sts/csv.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

constexpr size_t kNone = static_cast<size_t>(-1);

struct Row {
  std::string_view where;
  std::string split;
  std::string_view score, first, second;
  const char* score_is = "score";
};

// Which column is which.
struct Columns {
  const char* score_is =
      "the columns are score, text, text, without a header: the score";  // for messages
  size_t score = 0, first = 1, second = 2, split = kNone;
  size_t least = 3, most = 3;  // columns of a line
  bool header = false;
};

bool is_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

size_t find(const std::vector<std::string_view>& fields,
            std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    const auto found = std::find(fields.begin(), fields.end(), name);
    if (found != fields.end()) return static_cast<size_t>(found - fields.begin());
  }
  return kNone;
}

Columns recognise(const std::vector<std::string_view>& fields, std::string_view where) {
  Columns columns;
  const size_t first = find(fields, {"sentence1", "sentence_A"}),
               second = find(fields, {"sentence2", "sentence_B"});
  if (first != kNone && second != kNone) {
    const size_t score = find(fields, {"score", "relatedness_score", "similarity_score"});
    check(score != kNone, Status::kFormat, where,
          ": the header names no column score or relatedness_score (GLUE's test file has no "
          "scores: use another split)");
    return {"score",       score,         first, second, find(fields, {"split", "SemEval_set"}),
            fields.size(), fields.size(), true};
  }
  // A line of the plain form has three fields, so seven fields must be the benchmark's form.
  if (fields.size() >= 7 && is_number(fields[4])) return {"score", 4, 5, 6, kNone, 7, kNone, false};
  // As training reads scored pairs.
  if (fields.size() >= 3 && !fields[0].empty() && !is_number(fields[0]) && is_number(fields[2])) {
    return {"the columns are text, text, score, as in the first line: the score",
            2,
            0,
            1,
            kNone,
            3,
            kNone,
            false};
  }
  return columns;
}

// Calls `row` for each line of a TAB separated file that is not empty.
void read_tabs(const std::string& path, const std::function<void(const Row&)>& row) {
  std::vector<std::string_view> fields;
  Columns columns;
  bool begun = false;
  Row current;
  for_each_line(path, [&](const TextLine& line) {
    if (line.text.empty()) return;
    split_tabs(line.text, fields);
    current.where = line.where;
    if (!begun) {
      columns = recognise(fields, current.where);
      begun = true;
      if (columns.header) return;
    }
    const bool fits = fields.size() >= columns.least && fields.size() <= columns.most;
    check(fits, Status::kFormat, current.where, ": ", fields.size(),
          " tab separated columns, expected ", columns.least,
          columns.most == columns.least ? "" : " or more");
    current.score = fields[columns.score];
    current.score_is = columns.score_is;
    current.first = fields[columns.first];
    current.second = fields[columns.second];
    if (columns.split != kNone) {
      current.split = known_split(fields[columns.split]);
      check(!current.split.empty(), Status::kFormat, current.where, ": split '",
            fields[columns.split].substr(0, 40), "': train, dev (trial) and test are known");
    }
    row(current);
  });
}

void read_commas(const std::string& path, const std::function<void(const Row&)>& row) {
  bool begun = false;
  read_csv(path, 3, [&](const CsvRow& record) {
    const bool header =
        !begun && find({record.fields[0], record.fields[1]}, {"sentence1"}) != kNone;
    begun = true;
    if (!header) row({record.where, "", record.fields[2], record.fields[0], record.fields[1]});
  });
}

bool has_commas(const std::string& path) {
  if (!ends_with(path, ".csv") && !ends_with(path, ".csv.gz")) return false;
  bool begun = false, tabs = false;
  for_each_line(path, [&](const TextLine& line) {
    if (begun || line.text.empty()) return;
    begun = true;
    tabs = line.text.find('\t') != std::string_view::npos;
  });
  return !tabs;
}

std::string subset_name(const std::string& path) {
  std::filesystem::path name = std::filesystem::u8path(path).filename();
  if (name.extension() == ".gz") name = name.stem();
  return name.stem().u8string();
}

}  // namespace

bool is_sts_table(const std::string& name) {
  if (name.empty() || name[0] == '.') return false;
  if (ends_with(name, ".tsv") || ends_with(name, ".tsv.gz")) return true;
  if (ends_with(name, ".csv") || ends_with(name, ".csv.gz")) return name.compare(0, 3, "sts") == 0;
  return name == "SICK.txt" || (name.compare(0, 5, "SICK_") == 0 && ends_with(name, ".txt"));
}

std::vector<StsSubset> read_sts_table(const std::string& path, StsSplit wanted) {
  std::vector<StsSubset> by_split;  // in the order in which the splits appear; a file without a
                                    // column for them is one, named ""
  const auto add = [&](const Row& row) {
    auto subset = std::find_if(by_split.begin(), by_split.end(),
                               [&](const StsSubset& known) { return known.name == row.split; });
    if (subset == by_split.end()) {
      by_split.push_back({row.split, {}, {}, {}, 0});
      subset = by_split.end() - 1;
    }
    if (row.score.empty()) {
      ++subset->unscored;
      return;
    }
    subset->gold.push_back(parse_number(row.score, row.where, row.score_is));
    subset->first.emplace_back(row.first);
    subset->second.emplace_back(row.second);
  };
  if (has_commas(path)) read_commas(path, add);
  else read_tabs(path, add);
  check(!by_split.empty(), Status::kFormat, path, ": no row in it");

  if (!by_split[0].name.empty()) {
    std::vector<std::string> present;
    for (const StsSubset& subset : by_split) present.push_back(subset.name);
    const std::string chosen = choose_split(present, wanted, path);
    const auto other = [&](const StsSubset& subset) {
      return !chosen.empty() && subset.name != chosen;
    };
    by_split.erase(std::remove_if(by_split.begin(), by_split.end(), other), by_split.end());
  }
  if (by_split.size() == 1) by_split[0].name = subset_name(path);
  for (const StsSubset& subset : by_split) {
    check(!subset.gold.empty(), Status::kFormat, path, ": none of its pairs has a score");
    if (subset.unscored > 0)
      log_warning(path, ": ", subset.unscored, " pairs without a score are left out");
  }
  return by_split;
}

}  // namespace contrastive::eval
