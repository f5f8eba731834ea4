#include "core/torch/tasks/glue/glue_files.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/eval/tsv.h"

namespace contrastive::eval {
namespace {

// SST-2's own files have as many columns as plain ones, so the header decides.
bool has_own_columns(const GlueDefinition& definition, const TsvRow& first) {
  const size_t plain = definition.pairs() ? 3 : 2;
  return first.fields.size() != plain ||
         (!definition.pairs() && first.fields[0] == "sentence" && first.fields[1] == "label");
}

GlueColumns plain_columns(bool pairs) {
  GlueColumns columns;
  columns.first = 1;
  columns.second = pairs ? 2 : GlueColumns::kNone;
  columns.least = pairs ? 3 : 2;
  columns.header = false;
  return columns;
}

double parse_target(const GlueDefinition& definition, std::string_view text,
                    std::string_view where) {
  if (definition.regression()) return parse_number(text, where, "the score");
  const auto& labels = definition.labels;
  const auto found = std::find(labels.begin(), labels.end(), text);
  if (found != labels.end()) return static_cast<double>(found - labels.begin());
  std::string known;
  for (const std::string& label : labels) known += (known.empty() ? "" : ", ") + label;
  fail(Status::kFormat, where, ": '", text.substr(0, 40), "' is not a label of ", definition.name,
       " (", known, ")");
}

bool is_target(const GlueDefinition& definition, std::string_view text) {
  if (!definition.regression())
    return std::find(definition.labels.begin(), definition.labels.end(), text) !=
           definition.labels.end();
  double score = 0;
  return std::from_chars(text.data(), text.data() + text.size(), score).ec == std::errc();
}

std::string_view label_of(const GlueColumns& columns, const TsvRow& row) {
  const auto column = static_cast<size_t>(columns.label);
  return columns.label == GlueColumns::kLast ? row.fields.back()
         : column < row.fields.size()        ? row.fields[column]
                                             : std::string_view();
}

// An example in place of the header would be lost silently: in a file without a header, or of plain
// lines whose first has a TAB too many.
void check_header(const GlueDefinition& definition, const GlueColumns& columns, const TsvRow& row) {
  const bool example =
      is_target(definition, row.fields[0]) || is_target(definition, label_of(columns, row));
  check(!example, Status::kFormat, row.where, ": ", row.fields.size(),
        " tab separated columns of an example; a plain line of ", definition.name, " has ",
        definition.pairs() ? 3 : 2, ", and GLUE's own file begins with a header");
}

std::string find_folder(const GlueDefinition& definition, const std::string& folder) {
  check(is_directory(folder), Status::kNotFound, "config key 'data': ", folder, " is not a folder");
  for (const std::string& name : definition.folders) {
    if (is_directory(folder + "/" + name)) return folder + "/" + name;
  }
  fail(Status::kNotFound, folder, " has no folder ", definition.folders.front(),
       ": put the task's files there, or leave it out of 'tasks'");
}

std::string find_file(const std::string& folder, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    if (path_exists(folder + "/" + name)) return folder + "/" + name;
  }
  fail(Status::kNotFound, folder, " has no file ", names.front());
}

GlueSet slice(const GlueSet& whole, int64_t begin, int64_t end) {
  GlueSet part;
  part.path = whole.path;
  part.first.assign(whole.first.begin() + begin, whole.first.begin() + end);
  if (!whole.second.empty())
    part.second.assign(whole.second.begin() + begin, whole.second.begin() + end);
  part.targets.assign(whole.targets.begin() + begin, whole.targets.begin() + end);
  return part;
}

}  // namespace

GlueSet read_glue_file(const GlueDefinition& definition, const std::string& path) {
  GlueSet set;
  set.path = path;
  GlueColumns columns;
  bool begun = false;
  read_tsv_rows(path, [&](const TsvRow& row) {
    if (!begun) {
      begun = true;
      columns =
          has_own_columns(definition, row) ? definition.columns : plain_columns(definition.pairs());
      if (columns.header) {
        check_header(definition, columns, row);
        return;
      }
    }
    const auto count = static_cast<int64_t>(row.fields.size());
    if (count < columns.least && columns.skips_short) {
      ++set.skipped;
      return;
    }
    check(count >= columns.least, Status::kFormat, row.where, ": ", count,
          " tab separated columns, ", definition.name, " needs ", columns.least);
    set.targets.push_back(parse_target(definition, label_of(columns, row), row.where));
    set.first.emplace_back(row.fields[static_cast<size_t>(columns.first)]);
    if (definition.pairs())
      set.second.emplace_back(row.fields[static_cast<size_t>(columns.second)]);
  });
  check(set.size() > 0, Status::kFormat, path, ": no example in it");
  if (set.skipped > 0)
    log_warning(path, ": ", set.skipped, " rows with fewer than ", columns.least,
                " columns are left out");
  return set;
}

GlueData read_glue(const GlueDefinition& definition, const std::string& folder, GlueSplit split,
                   double select_part) {
  const std::string own = find_folder(definition, folder);
  GlueData data;
  data.train = read_glue_file(definition, find_file(own, {"train.tsv"}));
  for (const std::string& part : definition.dev_names) {
    GlueSet dev =
        read_glue_file(definition, find_file(own, {"dev" + part + ".tsv", "val" + part + ".tsv"}));
    if (split == GlueSplit::kSplitDev) {
      const auto cut = static_cast<int64_t>(select_part * static_cast<double>(dev.size()));
      check(cut > 0 && cut < dev.size(), Status::kArgument,
            "config key 'select_part': ", select_part, " of the ", dev.size(), " examples of ",
            dev.path, " leaves nothing for one of the two parts");
      data.test.push_back(slice(dev, cut, dev.size()));
      dev = slice(dev, 0, cut);
    }
    if (split == GlueSplit::kTest)
      data.test.push_back(read_glue_file(definition, find_file(own, {"test" + part + ".tsv"})));
    data.select.push_back(std::move(dev));
  }
  return data;
}

}  // namespace contrastive::eval
