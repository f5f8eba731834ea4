#include "core/data/record_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/base/nearest.h"

namespace contrastive::data {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::string shown(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : ""); }

// A number in the classic locale, or one of the label names.
double parse_label(std::string_view text, const std::vector<std::string>& names, const std::string& where) {
  text = trimmed(text);
  const auto name = std::find(names.begin(), names.end(), text);
  if (name != names.end()) return static_cast<double>(name - names.begin());
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool number = error == std::errc() && end == text.data() + text.size() && std::isfinite(value);
  check(number, Status::kFormat, where, ": the label '", shown(text), "' is not a number",
        names.empty() ? "; data.label_names gives words a number" : " and not in data.label_names");
  return value;
}

class TextParser : public RecordParser {
 public:
  Example parse(std::string_view line, const std::string&) const override {
    Example example;
    example.a = std::string(line);
    return example;
  }
};

class TsvParser : public RecordParser {
 public:
  TsvParser(const DataOptions& options, const std::string& path, std::string_view first_line) : names_(options.label_names) {
    const std::vector<std::string> titles = split(first_line);
    header_ = options.header;
    if (options.columns.empty()) {
      check(titles.size() <= 3, Status::kFormat, path, ": ", titles.size(), " columns; data.columns must say which are text a, text b and the label");
      strict_ = true;
      for (size_t i = 0; i < titles.size(); ++i) columns_.push_back(i);
    }
    for (const std::string& column : options.columns) columns_.push_back(place(column, titles, path));
    last_ = *std::max_element(columns_.begin(), columns_.end());
  }

  bool has_header() const override { return header_; }

  Example parse(std::string_view line, const std::string& where) const override {
    Example example;
    size_t index = 0;
    for (std::string_view rest = line;; ++index) {
      const size_t tab = rest.find('\t');
      if (index <= last_) take(index, rest.substr(0, tab), example, where);
      if (tab == std::string_view::npos || (index >= last_ && !strict_)) break;
      rest.remove_prefix(tab + 1);
    }
    check(index >= last_ && (!strict_ || index == last_), Status::kFormat, where, ": ", index + 1, " columns where ", last_ + 1, " are needed");
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

  // A column number, or a title of the header line, which the file then has.
  size_t place(const std::string& column, const std::vector<std::string>& titles, const std::string& path) {
    size_t number = 0;
    const auto [end, error] = std::from_chars(column.data(), column.data() + column.size(), number);
    if (error == std::errc() && end == column.data() + column.size()) {
      check(number < 1000, Status::kArgument, "config key 'data.columns': column ", number, " is above 999");
      return number;
    }
    header_ = true;
    const auto title = std::find(titles.begin(), titles.end(), column);
    check(title != titles.end(), Status::kFormat, path, ":1: ", unknown_name("column", column, titles));
    return static_cast<size_t>(title - titles.begin());
  }

  void take(size_t index, std::string_view cell, Example& example, const std::string& where) const {
    for (size_t role = 0; role < columns_.size(); ++role) {
      if (columns_[role] != index) continue;
      if (role == 0) example.a = std::string(cell);
      if (role == 1) example.b = std::string(cell), example.has_b = true;
      if (role == 2) example.label = parse_label(cell, names_, where);
    }
  }

  std::vector<std::string> names_;
  std::vector<size_t> columns_;  // of text a, text b, label
  size_t last_ = 0;              // the largest of them
  bool strict_ = false;          // every line has exactly last_ + 1 columns
  bool header_ = false;
};

class JsonlParser : public RecordParser {
 public:
  JsonlParser(const DataOptions& options, const std::string& path, std::string_view first_line)
      : names_(options.label_names), columns_(options.columns) {
    if (!columns_.empty()) return;
    const std::string where = path + ":1";
    const Json record = object(first_line, where);
    static const std::vector<std::pair<const char*, const char*>> kConventions = {
        {"a", "b"}, {"sentence1", "sentence2"}, {"anchor", "positive"}, {"premise", "hypothesis"}, {"query", "answer"}};
    for (const auto& [a, b] : kConventions) {
      if (columns_.empty() && record.contains(a) && record.contains(b)) columns_ = {a, b};
    }
    if (columns_.empty() && record.contains("text")) columns_ = {"text"};
    std::string members;
    for (const auto& item : record.items()) members += (members.empty() ? "" : ", ") + item.key();
    check(!columns_.empty(), Status::kFormat, where, ": data.columns must say which members are text a, text b and the label; there are: ",
          shown(members));
    for (const char* label : {"label", "score"}) {
      if (columns_.size() == 2 && record.contains(label)) columns_.push_back(label);
    }
  }

  Example parse(std::string_view line, const std::string& where) const override {
    const Json record = object(line, where);
    Example example;
    example.a = text(record, columns_[0], where);
    if (columns_.size() > 1) example.b = text(record, columns_[1], where), example.has_b = true;
    if (columns_.size() > 2) example.label = label(record, where);
    return example;
  }

 private:
  static Json object(std::string_view line, const std::string& where) {
    JsonLimits limits;
    limits.max_bytes = int64_t{32} << 20;
    Json record = parse_json(line, where, limits);
    check(record.is_object(), Status::kFormat, where, ": not a JSON object");
    return record;
  }

  static const Json& member(const Json& record, const std::string& name, const std::string& where) {
    const auto it = record.find(name);
    check(it != record.end(), Status::kFormat, where, ": the member '", name, "' is missing");
    return *it;
  }

  static std::string text(const Json& record, const std::string& name, const std::string& where) {
    const Json& value = member(record, name, where);
    check(value.is_string(), Status::kFormat, where, ": the member '", name, "' is not a string");
    return value.get<std::string>();
  }

  double label(const Json& record, const std::string& where) const {
    const Json& value = member(record, columns_[2], where);
    if (value.is_number()) return value.get<double>();
    check(value.is_string(), Status::kFormat, where, ": the label '", columns_[2], "' is neither a number nor a string");
    return parse_label(value.get_ref<const std::string&>(), names_, where);
  }

  std::vector<std::string> names_;
  std::vector<std::string> columns_;
};

FileFormat guess(const DataOptions& options, const std::string& path, std::string_view first_line) {
  if (options.format != FileFormat::kAuto) return options.format;
  const auto ends = [&](std::string_view tail) {
    return path.size() >= tail.size() && std::string_view(path).substr(path.size() - tail.size()) == tail;
  };
  if (ends(".tsv")) return FileFormat::kTsv;
  if (ends(".jsonl") || ends(".ndjson")) return FileFormat::kJsonl;
  if (options.header || first_line.find('\t') != std::string_view::npos) return FileFormat::kTsv;
  return !first_line.empty() && first_line[0] == '{' && first_line.back() == '}' ? FileFormat::kJsonl : FileFormat::kText;
}

}  // namespace

std::unique_ptr<RecordParser> make_record_parser(const DataOptions& options, const std::string& path, std::string_view first_line) {
  switch (guess(options, path, first_line)) {
    case FileFormat::kTsv: return std::make_unique<TsvParser>(options, path, first_line);
    case FileFormat::kJsonl: return std::make_unique<JsonlParser>(options, path, first_line);
    default: break;
  }
  check(options.columns.empty(), Status::kArgument, path, ": config key 'data.columns' is set, but the lines have no columns; set data.format");
  return std::make_unique<TextParser>();
}

}  // namespace contrastive::data
