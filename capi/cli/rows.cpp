#include "capi/cli/rows.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <nlohmann/json.hpp>

#include "capi/cli/failure.h"
#include "capi/cli/files.h"
#include "capi/cli/signals.h"

namespace contrastive::cli {
namespace {

constexpr size_t kMaxLineBytes = size_t{16} << 20;
constexpr size_t kReadBytes = size_t{1} << 18;
constexpr int kMaxDepth = 64;

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
    : path_(path), format_(format_of(path, options.format)), options_(options) {
  if (options_.columns.empty()) options_.columns = {format_ == "jsonl" ? "text" : "1"};
  if (format_ == "txt" && (options_.columns.size() > 1 || options_.columns[0] != "1")) {
    throw usage_failure("'" + path + "' is plain text, one text a line: it has no columns", "name its format with --format tsv or --format jsonl");
  }
  if (format_ == "tsv") {
    for (const std::string& column : options_.columns) numbers_.push_back(column_number(column));
  }
  if (path == "-") return;
  struct stat info {};
  if (stat(path.c_str(), &info) != 0) throw system_failure("read", path, errno);
  if (S_ISDIR(info.st_mode)) throw usage_failure("'" + path + "' is a folder: a file is needed");
  bytes_ = S_ISREG(info.st_mode) ? info.st_size : 0;
  const InputWait wait;  // a FIFO waits for its writer
  descriptor_ = open_texts(path).release();
}

double RowReader::fraction() const {
  const auto given_out = static_cast<double>(bytes_read_) - static_cast<double>(buffer_.size() - next_);
  return bytes_ > 0 ? given_out / static_cast<double>(bytes_) : -1;
}

RowReader::~RowReader() {
  if (descriptor_ != STDIN_FILENO) close(descriptor_);
}

bool RowReader::fill() {
  if (ended_) return false;
  buffer_.erase(0, next_);
  next_ = 0;
  const size_t held = buffer_.size();
  buffer_.resize(held + kReadBytes);
  ssize_t got = 0;
  {
    const InputWait wait;
    do {
      got = read(descriptor_, &buffer_[held], kReadBytes);
    } while (got < 0 && errno == EINTR);
  }
  if (got < 0) throw system_failure("read", path_, errno);
  buffer_.resize(held + static_cast<size_t>(got));
  bytes_read_ += got;
  ended_ = got == 0;
  return !ended_;
}

bool RowReader::read_line(std::string& line) {
  size_t newline = buffer_.find('\n', next_);
  while (newline == std::string::npos) {
    const size_t searched = buffer_.size() - next_;
    if (searched > kMaxLineBytes) throw Failure(kExitData, "LIMIT", "the line is longer than 16 MB").at(path_, line_ + 1);
    if (!fill()) break;
    newline = buffer_.find('\n', searched);
  }
  if (newline == std::string::npos && next_ == buffer_.size()) return false;
  const size_t end = std::min(newline, buffer_.size());
  line.assign(buffer_, next_, end - next_);
  next_ = newline == std::string::npos ? end : end + 1;
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
