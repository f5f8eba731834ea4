#include "core/data/data_options.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/data/column_keys.h"

namespace contrastive::data {

void DataOptions::visit(OptionVisitor& v) {
  v.choice("format", format,
           {{"auto", FileFormat::kAuto},
            {"text", FileFormat::kText},
            {"tsv", FileFormat::kTsv},
            {"jsonl", FileFormat::kJsonl}},
           "what a line is: a text, tab-separated columns or a JSON object; auto: decided by the "
           "file's name (.txt, .tsv, .jsonl, .ndjson, each optionally with .gz; .csv and .json are "
           "refused), else by the first line (a tab, or braces)");
  v.list("columns", columns,
         "where text a, text b and the label are: column numbers from 0 or header names (tsv), "
         "member names (jsonl); one to three entries");
  for (const ColumnKey& key : column_keys()) v.list(key.name, this->*key.columns, key.help);
  v.list("where", where,
         "which lines of the file to use, as entries COLUMN=VALUE (a column as in data.columns), "
         "such as split=train. Values of one column are alternatives (split=train,split=dev); all "
         "columns must match. The texts and labels of other lines are not checked, but the lines "
         "must be well-formed");
  v.flag("header", header,
         "the first line of a TSV file names its columns and is not an example; without this key, "
         "a first line that looks like a header causes a warning");
  v.list("label_names", label_names,
         OptionDoc("words that are used as labels, in the order of their numbers from 0")
             .source("ConSERT's code: contradiction,entailment,neutral"));
  v.real("min_label", min_label, Range{},
         OptionDoc("examples with a smaller label or no label are left out")
             .source("CLSR 4.1 trains on STS-B pairs of score 4 and more"));
  v.real("max_label", max_label, Range{}, "examples with a larger label or no label are left out");
  v.choice("empty", empty,
           {{"skip", EmptyPolicy::kSkip},
            {"keep", EmptyPolicy::kKeep},
            {"error", EmptyPolicy::kError}},
           "examples with an empty text: leave out and count, train on them, or stop");
  v.choice("on_error", on_error, {{"stop", ErrorPolicy::kStop}, {"skip", ErrorPolicy::kSkip}},
           "malformed lines: stop at the first, or leave out and count");
  v.choice("invalid_utf8", invalid_utf8,
           {{"replace", Utf8Policy::kReplace}, {"error", Utf8Policy::kError}},
           "bytes that are not UTF-8: read as U+FFFD, or treat the line as malformed");
  v.choice("duplicates", duplicates, {{"keep", Duplicates::kKeep}, {"apart", Duplicates::kApart}},
           OptionDoc("examples that share a text, hard negatives included: keep = they may be in "
                     "one batch, where a loss treats one as a negative of the other; apart = "
                     "training puts them into different batches")
               .source("sentence-transformers: keep; its sampler no_duplicates: apart"));
}

void DataOptions::validate() const {
  check(columns.size() <= 3, Status::kArgument,
        "config key 'data.columns' takes at most three columns (text a, text b, label), not ",
        columns.size());
  const auto check_columns = [&](const char* key, const std::vector<std::string>& names) {
    for (const std::string& column : names)
      check(!column.empty(), Status::kArgument, "config key 'data.", key, "' has an empty entry");
    check(names.empty() || format != FileFormat::kText, Status::kArgument, "config key 'data.", key,
          "' does not go with data.format = text: a line is the text");
  };
  check_columns("columns", columns);
  for (const ColumnKey& key : column_keys()) check_columns(key.name, this->*key.columns);
  for (const std::string& entry : where) {
    check(entry.find('=') != std::string::npos && entry[0] != '=', Status::kArgument,
          "config key 'data.where': '", entry,
          "' is not COLUMN=VALUE; alternatives repeat the column (split=train,split=dev), and a "
          "value with a comma needs a JSON list");
  }
  check(where.empty() || format != FileFormat::kText, Status::kArgument,
        "config key 'data.where' does not go with data.format = text: a line is the text");
  check(label_names.empty() || format != FileFormat::kText, Status::kArgument,
        "config key 'data.label_names' does not go with data.format = text: a line has no label");
  check(!header || format == FileFormat::kTsv || format == FileFormat::kAuto, Status::kArgument,
        "config key 'data.header' goes with data.format = tsv only");
  check(min_label <= max_label, Status::kArgument, "config key 'data.min_label' (", min_label,
        ") is above 'data.max_label' (", max_label, ")");
}

bool DataOptions::filters_by_label() const {
  return min_label > -std::numeric_limits<double>::max() ||
         max_label < std::numeric_limits<double>::max();
}

std::vector<Condition> DataOptions::conditions() const {
  std::vector<Condition> conditions;
  for (const std::string& entry : where) {
    const size_t equals = entry.find('=');
    const std::string column = entry.substr(0, equals);
    auto known =
        std::find_if(conditions.begin(), conditions.end(),
                     [&](const Condition& condition) { return condition.column == column; });
    if (known == conditions.end()) known = conditions.insert(known, {column, {}});
    known->values.push_back(entry.substr(equals + 1));
  }
  return conditions;
}

DataOptions read_data_options(const Config& config) {
  Config own;
  for (const std::string& key : config.keys()) {
    if (key.rfind(DataOptions::kPrefix, 0) == 0) own.set_json(key, *config.find(key));
  }
  reject_unknown_keys(own, describe_options<DataOptions>(DataOptions::kPrefix));
  const DataOptions options = read_options<DataOptions>(own, DataOptions::kPrefix);
  options.validate();
  return options;
}

}  // namespace contrastive::data
