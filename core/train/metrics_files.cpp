#include "core/train/metrics_files.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <exception>
#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/io/atomic_file.h"

namespace contrastive::train {
namespace {

Json number(double value) {
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  return !std::isfinite(value) ? Json() : whole ? Json(static_cast<int64_t>(value)) : Json(value);
}

using File = std::unique_ptr<std::FILE, int (*)(std::FILE*)>;

File open_to_append(const std::string& path) {
  File file(std::fopen(path.c_str(), "ae"), &std::fclose);
  check(file != nullptr, Status::kIo, path, ": the metrics file cannot be opened: ", std::strerror(errno));
  return file;
}

void append_line(const std::string& path, std::string line) {
  File file = open_to_append(path);
  std::error_code ignored;
  const auto before = std::filesystem::file_size(path, ignored);
  line += '\n';
  std::setvbuf(file.get(), nullptr, _IONBF, 0);  // nothing is left for closing to write
  if (std::fwrite(line.data(), 1, line.size(), file.get()) == line.size()) return;
  const int error = errno;
  if (!ignored) std::filesystem::resize_file(path, before, ignored);  // a piece of a line would spoil the next one
  fail(error == ENOSPC || error == EDQUOT ? Status::kNoSpace : Status::kIo, path, ": the metrics file cannot be written: ", std::strerror(error));
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

const std::vector<std::string> kFirst = {"step", "epoch", "loss", "lr", "grad_norm"};

}  // namespace

MetricsFiles::MetricsFiles(std::string json_lines, std::string table, std::vector<std::string> columns)
    : json_lines_(std::move(json_lines)), table_(std::move(table)), columns_(kFirst) {
  columns_.insert(columns_.end(), columns.begin(), columns.end());
  for (const std::string& path : {json_lines_, table_}) {
    if (!path.empty()) open_to_append(path);
  }
  if (!table_.empty()) read_header();
}

void MetricsFiles::append(const Metrics& metrics) {
  std::exception_ptr failed;  // one of the two is no reason to leave the other out
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

// Of a table that is there: its columns are this run's.
void MetricsFiles::read_header() {
  if (!std::filesystem::is_regular_file(table_)) return;  // a device or pipe might never end
  std::ifstream file(table_, std::ios::binary);
  std::string header;
  if (!std::getline(file, header) || header.empty()) return;
  if (header.back() == '\r') header.pop_back();
  const std::vector<std::string> cells = split(header);
  const bool ours = cells.size() >= kFirst.size() && std::equal(kFirst.begin(), kFirst.end(), cells.begin());
  check(ours, Status::kArgument, "config key 'metrics_csv': ", table_, " is there and is no table of metrics, whose first line begins with '",
        joined(kFirst), "': its first line is '", header.substr(0, 100), header.size() > 100 ? "..." : "", "'");
  columns_ = cells;
  there_ = true;
  file.clear();
  file.seekg(-1, std::ios::end);
  if (file.get() != '\n') append_line(table_, "");  // a line that was cut off stays a line of its own
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
  std::ifstream file(table_, std::ios::binary);
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
    row += (&column == &columns_.front() ? "" : ",") + (std::isfinite(value) ? dump_ascii(number(value)) : std::string());
  }
  append_line(table_, row);
}

}  // namespace contrastive::train
