#include "capi/cli/rows.h"

#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "capi/cli/failure.h"
#include "capi/cli/files.h"

namespace contrastive::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr int kMaxDepth = 64;

int keep_open(std::FILE*) { return 0; }

std::string format_of(const std::string& path, const std::string& format) {
  if (format != "auto") return format;
  const std::string extension = extension_of(path);
  if (extension == "tsv" || extension == "jsonl") return extension;
  if (extension == "csv" || extension == "json" || extension == "parquet" || extension == "gz" || extension == "npy") {
    throw usage_failure("'" + path + "': input is txt, tsv or jsonl", "convert it, or name its format with --format");
  }
  return "txt";
}

size_t column_number(const std::string& text) {
  size_t number = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (problem != std::errc() || end != text.data() + text.size() || number == 0 || number > 1000000) {
    throw usage_failure("--input-column '" + text + "': a TSV column is a number, from 1");
  }
  return number - 1;
}

Failure bad_row(const std::string& message) { return {kExitData, "FORMAT", message}; }

}  // namespace

RowReader::RowReader(const std::string& path, const RowOptions& options)
    : path_(path), format_(format_of(path, options.format)), options_(options), file_(nullptr, std::fclose) {
  if (options_.columns.empty()) options_.columns = {format_ == "jsonl" ? "text" : "1"};
  if (format_ == "txt" && (options_.columns.size() > 1 || options_.columns[0] != "1")) {
    throw usage_failure("'" + path + "' is plain text, one text a line: it has no columns", "name its format with --format tsv or --format jsonl");
  }
  if (format_ == "tsv") {
    for (const std::string& column : options_.columns) numbers_.push_back(column_number(column));
  }
  if (path == "-") {
    file_ = {stdin, keep_open};
    return;
  }
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) throw system_failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) throw usage_failure("'" + path + "' is a folder: a file is needed");
  bytes_ = S_ISREG(info.st_mode) ? info.st_size : 0;
  file_ = {std::fopen(path.c_str(), "rbe"), std::fclose};
  if (file_ == nullptr) throw system_failure("read", path, errno);
}

double RowReader::fraction() const { return bytes_ > 0 ? static_cast<double>(bytes_read_) / static_cast<double>(bytes_) : -1; }

bool RowReader::read_line(std::string& line) {
  line.clear();
  for (int c = 0; (c = getc_unlocked(file_.get())) != EOF;) {
    ++bytes_read_;
    if (c == '\n') break;
    line.push_back(static_cast<char>(c));
    if (line.size() > kMaxLineBytes) throw Failure(kExitData, "LIMIT", "the line is longer than 16 MB").at(path_, line_ + 1);
  }
  if (std::ferror(file_.get()) != 0) throw system_failure("read", path_, errno);
  if (line.empty() && std::feof(file_.get()) != 0) return false;
  ++line_;
  if (!line.empty() && line.back() == '\r') line.pop_back();
  if (line_ == 1) {
    if (line.rfind("\x1f\x8b", 0) == 0) throw bad_row("this is a gzip file: unpack it first").at(path_, 1);
    if (line.rfind("\xef\xbb\xbf", 0) == 0) line.erase(0, 3);
  }
  return true;
}

bool RowReader::next(std::vector<std::string>& texts) {
  std::string line;
  while (read_line(line)) {
    try {
      take_texts(line, texts);
      return true;
    } catch (Failure& failure) {
      if (!options_.skip_bad_rows) throw failure.at(path_, line_);
      ++skipped_;
    }
  }
  return false;
}

void RowReader::take_texts(const std::string& line, std::vector<std::string>& texts) const {
  texts.resize(options_.columns.size());
  if (format_ == "tsv") {
    take_fields(line, texts);
  } else if (format_ == "jsonl") {
    take_json(line, texts);
  } else {
    texts[0] = line;
  }
}

void RowReader::take_fields(const std::string& line, std::vector<std::string>& texts) const {
  std::vector<std::pair<size_t, size_t>> fields;  // begin and length of each
  for (size_t begin = 0; begin <= line.size();) {
    const size_t tab = std::min(line.find('\t', begin), line.size());
    fields.emplace_back(begin, tab - begin);
    begin = tab + 1;
  }
  for (size_t i = 0; i < numbers_.size(); ++i) {
    if (numbers_[i] >= fields.size()) {
      throw bad_row("column " + std::to_string(numbers_[i] + 1) + " is missing: the line has " + std::to_string(fields.size()));
    }
    texts[i] = line.substr(fields[numbers_[i]].first, fields[numbers_[i]].second);
  }
}

void RowReader::take_json(const std::string& line, std::vector<std::string>& texts) const {
  const auto limit_depth = [](int depth, nlohmann::json::parse_event_t, nlohmann::json&) {
    if (depth > kMaxDepth) throw bad_row("the JSON is nested deeper than " + std::to_string(kMaxDepth) + " levels");
    return true;
  };
  nlohmann::json row;
  try {
    row = nlohmann::json::parse(line, limit_depth);
  } catch (const nlohmann::json::exception&) {
    throw bad_row("the line is not JSON");
  }
  for (size_t i = 0; i < texts.size(); ++i) {
    const std::string& name = options_.columns[i];
    const bool whole = row.is_string() && texts.size() == 1;  // a line may be just the text
    if (!whole && (!row.is_object() || row.find(name) == row.end())) throw bad_row("field '" + name + "' is missing");
    const nlohmann::json& value = whole ? row : row[name];
    if (!value.is_string()) throw bad_row("field '" + name + "' is not a string");
    texts[i] = value.get<std::string>();
  }
}

}  // namespace contrastive::cli
