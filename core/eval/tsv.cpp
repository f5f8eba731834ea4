#include "core/eval/tsv.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive::eval {
namespace {

constexpr int64_t kMaxBytes = int64_t{8} << 30;

}  // namespace

void split_tabs(std::string_view line, std::vector<std::string_view>& fields) {
  fields.clear();
  for (size_t begin = 0;;) {
    const size_t tab = line.find('\t', begin);
    fields.push_back(line.substr(begin, tab == std::string_view::npos ? tab : tab - begin));
    if (tab == std::string_view::npos) return;
    begin = tab + 1;
  }
}

void read_tsv_rows(const std::string& path, const std::function<void(const TsvRow&)>& row) {
  const std::string bytes = read_file(path, kMaxBytes);
  std::string_view rest = bytes;
  if (rest.substr(0, 3) == "\xEF\xBB\xBF") rest.remove_prefix(3);
  TsvRow current;
  int64_t number = 0, rows = 0;
  std::string where;
  while (!rest.empty()) {
    const size_t end = rest.find('\n');
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
    ++number;
    if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
    if (line.empty()) continue;
    where = cat(path, ":", number);
    current.where = where;
    split_tabs(line, current.fields);
    row(current);
    ++rows;
  }
  check(rows > 0, Status::kFormat, path, ": no row in it");
}

void read_tsv(const std::string& path, size_t columns, const std::function<void(const TsvRow&)>& row) {
  read_tsv_rows(path, [&](const TsvRow& read) {
    check(read.fields.size() == columns, Status::kFormat, read.where, ": ", read.fields.size(), " tab separated columns, expected ", columns);
    row(read);
  });
}

double parse_number(std::string_view text, std::string_view where, const char* what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc() && end == text.data() + text.size() && std::isfinite(value), Status::kFormat, where, ": ", what, " '",
        text.substr(0, 40), "' is not a number");
  return value;
}

}  // namespace contrastive::eval
