#include "core/data/record_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

class TextParser : public RecordParser {
 public:
  bool takes_empty_lines() const override { return true; }
  std::optional<Example> parse(std::string_view line, const std::string&) const override {
    Example example;
    example.a = std::string(line);
    return example;
  }
};

FileFormat guess(const DataOptions& options, std::string_view path, std::string_view first_line) {
  if (options.format != FileFormat::kAuto) return options.format;
  const auto ends = [&](std::string_view tail) { return path.size() >= tail.size() && path.substr(path.size() - tail.size()) == tail; };
  if (ends(".gz")) path.remove_suffix(3);
  if (ends(".tsv")) return FileFormat::kTsv;
  if (ends(".jsonl") || ends(".ndjson")) return FileFormat::kJsonl;
  if (first_line.find('\t') != std::string_view::npos) return FileFormat::kTsv;
  return !first_line.empty() && first_line[0] == '{' && first_line.back() == '}' ? FileFormat::kJsonl : FileFormat::kText;
}

}  // namespace

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value) ? std::make_optional(value) : std::nullopt;
}

double parse_label(std::string_view text, const std::vector<std::string>& names, const std::string& where, const std::string& hint) {
  text = trimmed(text);
  const auto name = std::find(names.begin(), names.end(), text);
  if (name != names.end()) return static_cast<double>(name - names.begin());
  const std::optional<double> value = parse_number(text);
  check(value.has_value(), Status::kFormat, where, ": the label '", shown(text), "' is not a number",
        names.empty() ? "; data.label_names gives words a number" : " and not in data.label_names", hint);
  return *value;
}

double parse_score(std::string_view text, const std::string& where) {
  const std::optional<double> value = parse_number(trimmed(text));
  check(value.has_value(), Status::kFormat, where, ": the score '", shown(text), "' of data.scores is not a number");
  return *value;
}

void settle_negatives(Example& example) {
  const bool scored = example.scores.size() == example.negatives.size() + 1;
  size_t kept = 0;
  for (size_t i = 0; i < example.negatives.size(); ++i) {
    if (example.negatives[i].empty()) continue;
    if (i != kept) example.negatives[kept] = std::move(example.negatives[i]);
    ++kept;
    if (scored) example.scores[kept] = example.scores[i + 1];
  }
  example.negatives.resize(kept);
  if (scored) example.scores.resize(kept + 1);
}

std::string shown(std::string_view text) { return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : ""); }

const std::vector<std::pair<const char*, const char*>>& usual_pair_names() {
  static const std::vector<std::pair<const char*, const char*>> kNames = {
      {"a", "b"}, {"sentence1", "sentence2"}, {"anchor", "positive"}, {"premise", "hypothesis"}, {"query", "answer"}};
  return kNames;
}

std::vector<std::string> numbered_negatives(const std::function<bool(const std::string& name)>& has) {
  std::vector<std::string> names;
  for (std::string name = "negative_1"; has(name); name = cat("negative_", names.size() + 1)) names.push_back(name);
  return names;
}

std::unique_ptr<RecordParser> make_record_parser(const DataOptions& options, const std::string& path, std::string_view first_line,
                                                 const std::string& where) {
  const FileFormat format = guess(options, path, first_line);
  // By the file's name or its first line: a format that was asked for is DataOptions::validate()'s.
  check(!options.header || format == FileFormat::kTsv, Status::kArgument, path, ": config key 'data.header' is set, but the lines ",
        format == FileFormat::kJsonl ? "are JSON objects" : "have no columns; set data.format");
  switch (format) {
    case FileFormat::kTsv: return make_tsv_parser(options, first_line, where);
    case FileFormat::kJsonl: return make_jsonl_parser(options, first_line, where);
    case FileFormat::kText:
    case FileFormat::kAuto: break;  // which guess() does not give
  }
  for (const auto& [key, names] :
       {std::pair("columns", &options.columns), std::pair("negatives", &options.negatives), std::pair("scores", &options.scores),
        std::pair("label_names", &options.label_names), std::pair("where", &options.where)}) {
    check(names->empty(), Status::kArgument, path, ": config key 'data.", key, "' is set, but the lines have no columns; set data.format");
  }
  return std::make_unique<TextParser>();
}

}  // namespace contrastive::data
