// Comma separated values with quotes (RFC 4180), the format of the multilingual STS benchmark.
// tsv.h reads tab separated files, which have no quotes.
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
// quote ends at the next single quote; it may contain commas and line ends (a LF each), and two
// quotes stand for one. Elsewhere a quote is an ordinary character. A gzip file is unpacked. Errors
// of for_each_line (lines.h); kFormat with file and line for another number of columns, text after
// a closing quote, or a missing closing quote.
void read_csv(const std::string& path, size_t columns,
              const std::function<void(const CsvRow&)>& row);

}  // namespace contrastive::eval
