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

}  // namespace

void MetricsFiles::append(const Metrics& metrics) {
  if (!json_lines_.empty()) {
    Json line = Json::object();
    for (const std::string& name : metrics.names()) line[name] = number(metrics.get(name));
    append_line(json_lines_, dump_ascii(line));
  }
  if (!table_.empty()) append_row(metrics);
}

void MetricsFiles::settle_columns(const Metrics& metrics) {
  settled_ = true;
  std::ifstream before(table_);
  std::string header;
  if (std::getline(before, header) && !header.empty()) {
    columns_ = split(header);
    return;
  }
  for (const std::string& name : metrics.names()) {
    if (std::find(columns_.begin(), columns_.end(), name) == columns_.end()) columns_.push_back(name);
  }
  append_line(table_, joined(columns_));
}

void MetricsFiles::append_row(const Metrics& metrics) {
  if (!settled_) settle_columns(metrics);
  std::string row;
  for (const std::string& column : columns_) {
    const double value = metrics.get(column);
    row += (&column == &columns_.front() ? "" : ",") + (std::isfinite(value) ? dump_ascii(number(value)) : std::string());
  }
  append_line(table_, row);
}

}  // namespace contrastive::train
