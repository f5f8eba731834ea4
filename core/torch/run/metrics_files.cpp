#include "core/torch/run/metrics_files.h"

#include <algorithm>
#include <cmath>
#include <exception>
#include <sstream>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/json.h"
#include "core/io/atomic_file.h"

namespace contrastive::run {
namespace {

Json number(double value) {
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  return !std::isfinite(value) ? Json() : whole ? Json(static_cast<int64_t>(value)) : Json(value);
}

constexpr int64_t kMostTable = int64_t{1} << 30;  // rewritten completely for a new column

Descriptor open_to_append(const std::string& path) {
  try {
    return open_file(path, FileUse::kAppend);
  } catch (const Error& error) {
    fail(error.status(), "the metrics file ", error.what());
  }
}

void append_line(const std::string& path, std::string line) {
  const Descriptor file = open_to_append(path);
  line += '\n';
  const int64_t before = file_size(file, path);
  try {
    write_all(file.get(), line, path);
  } catch (const Error&) {
    if (!system::resize(file.get(), before)) {
      // A device. In a file, a partial line would corrupt the next one.
    }
    throw;
  }
}

constexpr int64_t kMostLooked = int64_t{1} << 20;  // several times the longest record

// Whether these are records of a run. A partial line, which a killed process left, does not count:
// the next line decides.
bool holds_records(const std::string& text, std::string& first) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (first.empty()) first = line;
    if (line.empty() || line.front() != '{') return false;
    const Json record = Json::parse(line, nullptr, false);
    if (!record.is_discarded()) return record.contains("step");
  }
  return true;
}

// A stream that the process already writes to, such as /dev/stdout into a log, may contain
// anything.
bool is_open_stream(const std::string& path) {
  return begins_with(path, "/dev/std") || begins_with(path, "/dev/fd/") ||
         begins_with(path, "/proc/self/fd/");
}

// A file that was given by mistake, such as the examples of the run, must not be appended to.
void check_records(const std::string& path) {
  if (!is_regular_file(path) || is_open_stream(path)) return;
  const Descriptor file = open_file(path, FileUse::kRead);
  std::string text(static_cast<size_t>(std::min(file_size(file, path), kMostLooked)), '\0');
  text.resize(static_cast<size_t>(
      read_up_to(file.get(), text.data(), static_cast<int64_t>(text.size()), 0, path)));
  std::string first;
  check(text.empty() || holds_records(text, first), Status::kArgument,
        "config key 'metrics_file': ", path,
        " exists and has no records of a run, which are JSON objects with a 'step': its first "
        "line is '",
        first.substr(0, 100), first.size() > 100 ? "..." : "", "'; name another file");
}

// A partial line that a killed process left stays a separate line.
void end_last_line(const std::string& path) {
  if (!is_regular_file(path)) return;
  const Descriptor file = open_file(path, FileUse::kRead);
  const int64_t bytes = file_size(file, path);
  char last = '\n';
  if (bytes > 0 && read_up_to(file.get(), &last, 1, bytes - 1, path) == 1 && last != '\n')
    append_line(path, "");
}

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells;
  for (size_t begin = 0; begin <= line.size();) {
    const size_t end = std::min(line.find(',', begin), line.size());
    cells.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return cells;
}

std::string joined(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ",") + cell;
  return line;
}

const std::vector<std::string>& first_columns() {
  static const std::vector<std::string> kFirst = {"step", "epoch", "loss", "lr", "grad_norm"};
  return kFirst;
}

}  // namespace

MetricsFiles::MetricsFiles(std::string json_lines, std::string table,
                           std::vector<std::string> columns)
    : json_lines_(std::move(json_lines)), table_(std::move(table)), columns_(first_columns()) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  for (const std::string& path : {json_lines_, table_}) {
    if (!path.empty()) open_to_append(path);
  }
  if (!json_lines_.empty()) check_records(json_lines_);
  if (!table_.empty()) read_header();
  if (!json_lines_.empty()) end_last_line(json_lines_);
}

void MetricsFiles::append(const Metrics& metrics) {
  std::exception_ptr failed;  // an error of one does not prevent the other
  try {
    if (!json_lines_.empty()) append_object(metrics);
  } catch (const Error&) {
    failed = std::current_exception();
  }
  if (!table_.empty()) append_row(metrics);
  if (failed) std::rethrow_exception(failed);
}

void MetricsFiles::append_object(const Metrics& metrics) {
  Json line = Json::object();
  for (const std::string& name : metrics.names()) line[name] = number(metrics.of_record(name));
  append_line(json_lines_, dump_ascii(line));
}

// An existing table: its columns become those of this run.
void MetricsFiles::read_header() {
  if (!is_regular_file(table_)) return;  // a device might never end
  std::istringstream file(read_file(table_, kMostTable));
  std::string header;
  if (!std::getline(file, header) || header.empty()) return;
  if (header.back() == '\r') header.pop_back();
  const std::vector<std::string> cells = split(header);
  const std::vector<std::string>& first = first_columns();
  const bool ours =
      cells.size() >= first.size() && std::equal(first.begin(), first.end(), cells.begin());
  check(ours, Status::kArgument, "config key 'metrics_csv': ", table_,
        " exists and is not a table of metrics, whose first line begins with '", joined(first),
        "': its first line is '", header.substr(0, 100), header.size() > 100 ? "..." : "", "'");
  columns_ = cells;
  there_ = true;
  end_last_line(table_);
}

void MetricsFiles::add_columns(const Metrics& metrics) {
  std::vector<std::string> columns = columns_;
  for (const std::string& name : metrics.names()) {
    if (std::find(columns.begin(), columns.end(), name) == columns.end()) columns.push_back(name);
  }
  if (!there_) {
    append_line(table_, joined(columns));
    columns_ = columns;
    there_ = true;
    return;
  }
  if (columns.size() == columns_.size()) return;
  const std::string more(columns.size() - columns_.size(), ',');
  std::istringstream file(read_file(table_, kMostTable));
  std::string line, whole = joined(columns) + "\n";
  std::getline(file, line);  // the old header
  while (std::getline(file, line)) whole += line + more + "\n";
  io::write_file_atomic(table_, whole);
  columns_ = columns;
}

void MetricsFiles::append_row(const Metrics& metrics) {
  add_columns(metrics);
  std::string row;
  for (const std::string& column : columns_) {
    const double value = metrics.of_record(column);
    row += (&column == &columns_.front() ? "" : ",") +
           (std::isfinite(value) ? dump_ascii(number(value)) : std::string());
  }
  append_line(table_, row);
}

}  // namespace contrastive::run
