// Tab separated files as the evaluation data sets use them: no header, no quoting (a quote is a
// character), one record a line.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::eval {

struct TsvRow {
  std::string_view where;  // "file:line", for messages
  std::vector<std::string_view> fields;
};

// Calls `row` for each line (lines.h) that is not empty, with any number of fields. Errors of
// for_each_line; kFormat for a file without rows.
void read_tsv_rows(const std::string& path, const std::function<void(const TsvRow&)>& row);
// The same where every line must have exactly `columns` fields: kFormat with file and line
// otherwise.
void read_tsv(const std::string& path, size_t columns,
              const std::function<void(const TsvRow&)>& row);

// Splits one line into fields, which replace the contents of `fields`.
void split_tabs(std::string_view line, std::vector<std::string_view>& fields);

// Parses all of `text` as a finite decimal number, in any locale; kFormat naming `where` and `what`
// otherwise.
double parse_number(std::string_view text, std::string_view where, const char* what);

}  // namespace contrastive::eval
