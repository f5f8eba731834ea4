// Parses tab-separated lines: which column is which text, and the label.
#include <algorithm>
#include <charconv>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/text_form.h"
#include "core/data/column_keys.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

enum class Role { kA, kB, kLabel, kFurther };

struct Column {
  size_t at;
  Role role;
  const ColumnKey* key;  // of a further column
  // Texts are in the order of the line, further numbers in that of their config key.
  std::pair<bool, size_t> order() const {
    const bool number =
        key != nullptr && std::holds_alternative<std::vector<double> Example::*>(key->field);
    return {number, number ? 0 : at};
  }
};

class TsvParser : public RecordParser {
 public:
  TsvParser(DataOptions options, std::string_view first_line, const std::string& where)
      : names_(options.label_names), header_(options.header) {
    const std::vector<std::string> titles = split(first_line);
    for (const Condition& condition : options.conditions()) {
      std::vector<std::string>& values = wanted_[place("where", condition.column, titles, where)];
      values.insert(values.end(), condition.values.begin(), condition.values.end());
    }
    std::vector<std::string>& columns = options.columns;
    if (columns.empty() && header_) {
      take_usual_names(
          [&](const std::string& name) {
            return std::find(titles.begin(), titles.end(), name) != titles.end();
          },
          options);
    }
    if (columns.empty()) {  // the order of the columns counts
      check(titles.size() <= 3 && !sets_column_keys(options) && wanted_.empty(), Status::kFormat,
            where, ": ", titles.size(),
            " columns; data.columns must say which are text a, text b and the label, and "
            "data.negatives which are further texts");
      strict_ = true;
      for (size_t i = 0; i < titles.size(); ++i) columns.push_back(std::to_string(i));
    }
    for (size_t i = 0; i < columns.size(); ++i)
      columns_.push_back(
          {place("columns", columns[i], titles, where), static_cast<Role>(i), nullptr});
    check_column_keys(options);
    check(names_.empty() || columns.size() > 2, Status::kArgument, where,
          ": config key 'data.label_names' is set, but no column is the label: it is the "
          "third in data.columns");
    for (const ColumnKey& key : column_keys()) {
      for (const std::string& column : options.*key.columns)
        columns_.push_back({place(key.name, column, titles, where), Role::kFurther, &key});
    }
    std::stable_sort(columns_.begin(), columns_.end(),
                     [](const Column& a, const Column& b) { return a.order() < b.order(); });
    label_hint_ = cat(strict_ ? ". The columns are text, text, label; data.columns = 1,2,0 reads "
                                "label, text, text, and data.columns = 0,1 with "
                                "data.negatives = 2 reads hard negatives"
                              : ". data.negatives names columns of texts",
                      header_ ? "" : "; data.header = true skips a header");
    titles_ = !header_ && looks_like_titles(first_line);
    last_ = wanted_.empty() ? 0 : wanted_.rbegin()->first;
    for (const Column& column : columns_) last_ = std::max(last_, column.at);
  }

  bool has_header() const override { return header_; }
  bool first_looks_like_header() const override { return titles_; }

  std::optional<Example> parse(std::string_view line, const std::string& where) const override {
    std::vector<std::string_view> cells;
    cells.reserve(last_ + 1);
    size_t count = 1;
    for (std::string_view rest = line;; ++count) {
      const size_t tab = rest.find('\t');
      if (count <= last_ + 1) cells.push_back(rest.substr(0, tab));
      if (tab == std::string_view::npos || (count > last_ && !strict_)) break;
      rest.remove_prefix(tab + 1);
    }
    check(count > last_ && (!strict_ || count == last_ + 1), Status::kFormat, where, ": ", count,
          " columns where ", last_ + 1, " are needed");
    for (const auto& [at, values] : wanted_) {
      if (std::find(values.begin(), values.end(), cells[at]) == values.end()) return std::nullopt;
    }
    Example example;
    for (const Column& column : columns_) take(column, cells[column.at], example, where);
    settle_negatives(example);
    return example;
  }

 private:
  static std::vector<std::string> split(std::string_view line) {
    std::vector<std::string> cells;
    for (size_t begin = 0; begin <= line.size() && cells.size() < 1000;) {
      const size_t end = std::min(line.find('\t', begin), line.size());
      cells.emplace_back(line.substr(begin, end - begin));
      begin = end + 1;
    }
    return cells;
  }

  // A column number, or a title in the header line, which then must exist. `key` is the config key
  // that names it.
  size_t place(const char* key, const std::string& column, const std::vector<std::string>& titles,
               const std::string& where) {
    size_t number = 0;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (error == std::errc() && end == column.data() + column.size()) {
      check(number < 1000, Status::kArgument, "config key 'data.", key, "': column ", number,
            " is above 999");
      return number;
    }
    header_ = true;
    const auto title = std::find(titles.begin(), titles.end(), column);
    check(title != titles.end(), Status::kFormat, where, ": config key 'data.", key,
          "': ", unknown_name("column", column, titles));
    return static_cast<size_t>(title - titles.begin());
  }

  void take(const Column& column, std::string_view cell, Example& example,
            const std::string& where) const {
    switch (column.role) {
      case Role::kA: example.a = std::string(cell); break;
      case Role::kB: example.b = std::string(cell), example.has_b = true; break;
      case Role::kLabel: example.label = parse_label(cell, names_, where, label_hint_); break;
      case Role::kFurther: add_cell(*column.key, cell, where, example);
    }
  }

  std::vector<std::string> names_;
  std::string label_hint_;  // added to the error message for a label that is not a number
  std::map<size_t, std::vector<std::string>>
      wanted_;  // data.where: the required values of columns by position
  bool header_ = false;
  bool titles_ = false;          // the first line looks like a header but is read as an example
  std::vector<Column> columns_;  // by order()
  size_t last_ = 0;              // the largest position
  bool strict_ = false;          // every line has exactly last_ + 1 columns
};

}  // namespace

std::unique_ptr<RecordParser> make_tsv_parser(const DataOptions& options,
                                              std::string_view first_line,
                                              const std::string& where) {
  return std::make_unique<TsvParser>(options, first_line, where);
}

}  // namespace contrastive::data
