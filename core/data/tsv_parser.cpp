// Parses tab-separated lines: which column is which text, and the label.
#include <algorithm>
#include <charconv>
#include <map>

#include "core/base/error.h"
#include "core/base/nearest.h"
#include "core/base/text_form.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

enum class Role { kA, kB, kLabel, kNegative, kScore };

class TsvParser : public RecordParser {
 public:
  TsvParser(const DataOptions& options, std::string_view first_line, const std::string& where)
      : names_(options.label_names), header_(options.header) {
    const std::vector<std::string> titles = split(first_line);
    std::vector<std::string> columns = options.columns, negatives = options.negatives;
    for (const Condition& condition : options.conditions()) {
      std::vector<std::string>& values = wanted_[place("where", condition.column, titles, where)];
      values.insert(values.end(), condition.values.begin(), condition.values.end());
    }
    if (columns.empty() && header_) take_usual_titles(titles, columns, negatives);
    if (columns.empty()) {
      check(titles.size() <= 3 && negatives.empty() && options.scores.empty() && wanted_.empty(),
            Status::kFormat, where, ": ", titles.size(),
            " columns; data.columns must say which are text a, text b and the label, and "
            "data.negatives which are further texts");
      strict_ = true;
      for (size_t i = 0; i < titles.size(); ++i) columns.push_back(std::to_string(i));
    }
    for (size_t i = 0; i < columns.size(); ++i)
      columns_.emplace_back(place("columns", columns[i], titles, where), static_cast<Role>(i));
    check(negatives.empty() || columns.size() > 1, Status::kArgument,
          "config key 'data.negatives' needs a text b, the positive, in data.columns");
    check(names_.empty() || columns.size() > 2, Status::kArgument, where,
          ": config key 'data.label_names' is set, but no column is the label: it is the "
          "third in data.columns");
    for (const std::string& column : negatives)
      columns_.emplace_back(place("negatives", column, titles, where), Role::kNegative);
    check(options.scores.empty() || columns.size() > 1, Status::kArgument,
          "config key 'data.scores' needs a text b, whose score is the first");
    for (const std::string& column : options.scores)
      columns_.emplace_back(place("scores", column, titles, where), Role::kScore);
    // Hard negatives are in the order of the line, scores in the order of their config key.
    std::stable_sort(columns_.begin(), columns_.end(), [](const auto& a, const auto& b) {
      return std::make_pair(a.second == Role::kScore, a.second == Role::kScore ? 0 : a.first) <
             std::make_pair(b.second == Role::kScore, b.second == Role::kScore ? 0 : b.first);
    });
    label_hint_ = cat(strict_ ? ". The columns are text, text, label; data.columns = 1,2,0 reads "
                                "label, text, text, and data.columns = 0,1 with "
                                "data.negatives = 2 reads hard negatives"
                              : ". data.negatives names columns of texts",
                      header_ ? "" : "; data.header = true skips a header");
    titles_ = !header_ && looks_like_titles(first_line);
    last_ = wanted_.empty() ? 0 : wanted_.rbegin()->first;
    for (const auto& [at, role] : columns_) last_ = std::max(last_, at);
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
    for (const auto& [at, role] : columns_) take(role, cells[at], example, where);
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

  // The columns of a header with the usual names; none if it has other names: then the order of the
  // columns counts.
  static void take_usual_titles(const std::vector<std::string>& titles,
                                std::vector<std::string>& columns,
                                std::vector<std::string>& negatives) {
    const auto has = [&](const std::string& name) {
      return std::find(titles.begin(), titles.end(), name) != titles.end();
    };
    for (const auto& [a, b] : usual_pair_names()) {
      if (columns.empty() && has(a) && has(b)) columns = {a, b};
    }
    if (columns.empty() && has("text")) columns = {"text"};
    if (columns.size() < 2) return;
    for (const char* label : {"label", "score"}) {
      if (columns.size() == 2 && has(label)) columns.push_back(label);
    }
    for (const char* name : {"negatives", "negative"}) {
      if (negatives.empty() && has(name)) negatives = {name};
    }
    if (negatives.empty()) negatives = numbered_negatives(has);
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

  void take(Role role, std::string_view cell, Example& example, const std::string& where) const {
    switch (role) {
      case Role::kA: example.a = std::string(cell); break;
      case Role::kB: example.b = std::string(cell), example.has_b = true; break;
      case Role::kLabel: example.label = parse_label(cell, names_, where, label_hint_); break;
      case Role::kNegative: example.negatives.emplace_back(cell); break;
      case Role::kScore: example.scores.push_back(parse_score(cell, where));
    }
  }

  std::vector<std::string> names_;
  std::string label_hint_;  // added to the error message for a label that is not a number
  std::map<size_t, std::vector<std::string>>
      wanted_;  // data.where: the required values of columns by position
  bool header_ = false;
  bool titles_ = false;  // the first line looks like a header but is read as an example
  std::vector<std::pair<size_t, Role>> columns_;  // texts and label by position, then scores
  size_t last_ = 0;                               // the largest position
  bool strict_ = false;                           // every line has exactly last_ + 1 columns
};

}  // namespace

std::unique_ptr<RecordParser> make_tsv_parser(const DataOptions& options,
                                              std::string_view first_line,
                                              const std::string& where) {
  return std::make_unique<TsvParser>(options, first_line, where);
}

}  // namespace contrastive::data
