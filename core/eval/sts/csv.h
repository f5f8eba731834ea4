// Comma separated values with quotes (RFC 4180), as the multilingual STS benchmark comes. Tab
// separated files have no quotes: those are tsv.h's.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace contrastive::eval {

struct CsvRow {
  std::string_view where;  // "file:line" at which the record begins, for messages
  const std::vector<std::string>& fields;
};

// Calls `row` for each record; empty lines between records are skipped. A field that begins with a
// quote ends at the next single one, may hold commas and line ends (a LF each), and two quotes
// stand for one; elsewhere a quote is a character. A gzip file is read as what is in it. Errors of
// for_each_line (lines.h); kFormat with file and line for another number of columns, text behind a
// closing quote, a quote that nothing closes.
void read_csv(const std::string& path, size_t columns,
              const std::function<void(const CsvRow&)>& row);

}  // namespace contrastive::eval
