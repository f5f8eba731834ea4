// Parses a line of a training file: text, tab-separated columns, or a JSON object. The parsers are
// pure functions of the line; line_reader.h reads files.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "core/data/data_options.h"
#include "core/data/example.h"

namespace contrastive::data {

class RecordParser {
 public:
  virtual ~RecordParser() = default;
  // True if the file's first line is a header, not an example.
  virtual bool has_header() const { return false; }
  // True if the file's first line looks like column names but is read as an example.
  virtual bool first_looks_like_header() const { return false; }
  // True if an empty line is an empty text. In other formats an empty line lacks every column.
  virtual bool takes_empty_lines() const { return false; }
  // Returns nothing for a line that data.where leaves out. Throws kFormat "<where>: ..." for a line
  // that does not match the format. Any thread may call this.
  virtual std::optional<Example> parse(std::string_view line, const std::string& where) const = 0;
};

// Makes the parser of a file. The key "data.format" sets the format; without it,
// core/base/text_form.h detects it:
//
//   text   The whole line is text a.
//   tsv    Columns are separated by tabs, and nothing is quoted. Without data.columns they are
//          text a, text b and the label. Every line has as many columns as the first line. Names
//          of columns need a header line. If data.header or a name in data.where says that there
//          is one, columns with the usual names (below) are found automatically.
//   jsonl  A line is one JSON object. Without data.columns the members with the usual names are
//          used that the first line has: text; a, b; sentence1, sentence2; anchor, positive;
//          premise, hypothesis; query, answer; label or score; and negatives, negative, or
//          negative_1, negative_2, ... If a member "documents" is in the place of text b, it is a
//          list of texts: the first is text b, the others are its hard negatives. The numbers of
//          "labels" (or "scores") next to it are their scores.
//
// More keys:
//
//   data.negatives, data.scores   Further columns or members (column_keys.h).
//   data.where                    Columns and JSON strings are compared byte for byte, numbers by
//                                 their value, and true, false and null by name.
//
// Returns null if data.where leaves out `first_line` before the columns are known: the next line
// is then the first. Throws kFormat if the columns cannot be determined. `where` names the file and
// the line in every message.
std::unique_ptr<RecordParser> make_record_parser(const DataOptions& options,
                                                 const std::string& path,
                                                 std::string_view first_line,
                                                 const std::string& where);

}  // namespace contrastive::data
