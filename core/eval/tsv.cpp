#include "core/eval/tsv.h"

#include <charconv>
#include <cmath>

#include "core/base/error.h"
#include "core/eval/lines.h"

namespace contrastive::eval {
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
  TsvRow current;
  bool any = false;
  for_each_line(path, [&](const TextLine& line) {
    if (line.text.empty()) return;
    current.where = line.where;
    split_tabs(line.text, current.fields);
    row(current);
    any = true;
  });
  check(any, Status::kFormat, path, ": no row in it");
}

void read_tsv(const std::string& path, size_t columns,
              const std::function<void(const TsvRow&)>& row) {
  read_tsv_rows(path, [&](const TsvRow& read) {
    check(read.fields.size() == columns, Status::kFormat, read.where, ": ", read.fields.size(),
          " tab separated columns, expected ", columns);
    row(read);
  });
}

double parse_number(std::string_view text, std::string_view where, const char* what) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  check(error == std::errc() && end == text.data() + text.size() && std::isfinite(value),
        Status::kFormat, where, ": ", what, " '", text.substr(0, 40), "' is not a number");
  return value;
}

}  // namespace contrastive::eval
