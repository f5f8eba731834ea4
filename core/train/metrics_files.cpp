#include "core/train/metrics_files.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/io/atomic_file.h"

namespace contrastive::train {
namespace {

Json number(double value) {
  const bool whole = std::floor(value) == value && std::fabs(value) < 1e15;
  return !std::isfinite(value) ? Json() : whole ? Json(static_cast<int64_t>(value)) : Json(value);
}

void append_line(const std::string& path, std::string line) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen(path.c_str(), "ae"), &std::fclose);
  check(file != nullptr, Status::kIo, path, ": the metrics file cannot be opened: ", std::strerror(errno));
  line += '\n';
  const bool written = std::fwrite(line.data(), 1, line.size(), file.get()) == line.size() && std::fflush(file.get()) == 0;
  check(written, errno == ENOSPC ? Status::kNoSpace : Status::kIo, path, ": the metrics file cannot be written: ", std::strerror(errno));
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
  if (!table_.empty()) read_header();
}

void MetricsFiles::append(const Metrics& metrics) {
  if (!json_lines_.empty()) {
    Json line = Json::object();
    for (const std::string& name : metrics.names()) line[name] = number(metrics.get(name));
    append_line(json_lines_, dump_ascii(line));
  }
  if (!table_.empty()) append_row(metrics);
}

// Of a table that is there: its columns are this run's.
void MetricsFiles::read_header() {
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
  const size_t before = columns_.size();
  for (const std::string& name : metrics.names()) {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) columns_.push_back(name);
  }
  if (!there_) {
    append_line(table_, joined(columns_));
    there_ = true;
    return;
  }
  if (columns_.size() == before) return;
  const std::string more(columns_.size() - before, ',');
  std::ifstream file(table_, std::ios::binary);
  std::string line, whole = joined(columns_) + "\n";
  std::getline(file, line);  // the old header
  while (std::getline(file, line)) whole += line + more + "\n";
  io::write_file_atomic(table_, whole);
}

void MetricsFiles::append_row(const Metrics& metrics) {
  add_columns(metrics);
  std::string row;
  for (const std::string& column : columns_) {
    const double value = metrics.get(column);
    row += (&column == &columns_.front() ? "" : ",") + (std::isfinite(value) ? dump_ascii(number(value)) : std::string());
  }
  append_line(table_, row);
}

}  // namespace contrastive::train
