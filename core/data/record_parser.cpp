#include "core/data/record_parser.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>

#include "core/base/error.h"
#include "core/base/text_form.h"
#include "core/data/column_keys.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

class TextParser : public RecordParser {
 public:
  explicit TextParser(bool titles) : titles_(titles) {}
  bool takes_empty_lines() const override { return true; }
  bool first_looks_like_header() const override { return titles_; }
  std::optional<Example> parse(std::string_view line, const std::string&) const override {
    Example example;
    example.a = std::string(line);
    return example;
  }

 private:
  bool titles_;
};

// The columns of text a and text b, if two have usual names.
std::vector<std::string> usual_pair(const HasColumn& has) {
  for (const auto& [a, b] :
       {std::pair("a", "b"), std::pair("sentence1", "sentence2"), std::pair("anchor", "positive"),
        std::pair("premise", "hypothesis"), std::pair("query", "answer")}) {
    if (has(a) && has(b)) return {a, b};
  }
  return {};
}

TextForm form_of(const DataOptions& options, const std::string& path, std::string_view first_line) {
  switch (options.format) {
    case FileFormat::kText: return TextForm::kText;
    case FileFormat::kTsv: return TextForm::kTsv;
    case FileFormat::kJsonl: return TextForm::kJsonl;
    case FileFormat::kAuto: break;
  }
  return text_form_of_name(path, "config key 'data.format'")
      .value_or(text_form_of_line(first_line));
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

std::optional<double> parse_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size() && std::isfinite(value)
             ? std::make_optional(value)
             : std::nullopt;
}

double parse_label(std::string_view text, const std::vector<std::string>& names,
                   const std::string& where, const std::string& hint) {
  text = trimmed(text);
  const auto name = std::find(names.begin(), names.end(), text);
  if (name != names.end()) return static_cast<double>(name - names.begin());
  const std::optional<double> value = parse_number(text);
  check(value.has_value(), Status::kFormat, where, ": the label '", shown(text),
        "' is not a number",
        names.empty() ? "; data.label_names gives words a number" : " and not in data.label_names",
        hint);
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

std::string shown(std::string_view text) {
  return std::string(text.substr(0, 60)) + (text.size() > 60 ? "..." : "");
}

bool has_usual_pair(const HasColumn& has) { return !usual_pair(has).empty(); }

void take_usual_names(const HasColumn& has, DataOptions& options) {
  options.columns = usual_pair(has);
  if (options.columns.empty() && has("text")) options.columns = {"text"};
  if (options.columns.size() < 2) return;
  for (const char* label : {"label", "score"}) {
    if (options.columns.size() == 2 && has(label)) options.columns.push_back(label);
  }
  for (const char* name : {"negatives", "negative"}) {
    if (options.negatives.empty() && has(name)) options.negatives = {name};
  }
  if (!options.negatives.empty()) return;
  for (std::string name = "negative_1"; has(name);
       name = cat("negative_", options.negatives.size() + 1))
    options.negatives.push_back(name);
}

std::unique_ptr<RecordParser> make_record_parser(const DataOptions& options,
                                                 const std::string& path,
                                                 std::string_view first_line,
                                                 const std::string& where) {
  const TextForm form = form_of(options, path, first_line);
  // The form comes from the file's name or its first line. DataOptions::validate() has checked a
  // requested format.
  check(!options.header || form == TextForm::kTsv, Status::kArgument, path,
        ": config key 'data.header' is set, but the lines ",
        form == TextForm::kJsonl ? "are JSON objects" : "have no columns; set data.format");
  if (form == TextForm::kTsv) return make_tsv_parser(options, first_line, where);
  if (form == TextForm::kJsonl) return make_jsonl_parser(options, first_line, where);
  const auto check_unset = [&](const char* key, const std::vector<std::string>& names) {
    check(names.empty(), Status::kArgument, path, ": config key 'data.", key,
          "' is set, but the lines have no columns; set data.format");
  };
  check_unset("columns", options.columns);
  for (const ColumnKey& key : column_keys()) check_unset(key.name, options.*key.columns);
  check_unset("label_names", options.label_names);
  check_unset("where", options.where);
  return std::make_unique<TextParser>(looks_like_titles(first_line));
}

}  // namespace contrastive::data
