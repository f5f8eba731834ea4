// What one line of a training file means: text, tab-separated columns, or a JSON object. Pure
// functions of the line; files are line_reader.h's.
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
  // True when the file's first line is a header and no example.
  virtual bool has_header() const { return false; }
  // True when the file's first line reads like the names of columns, and is read as an example.
  virtual bool first_looks_like_header() const { return false; }
  // True where an empty line is a text of its own; elsewhere it lacks every column.
  virtual bool takes_empty_lines() const { return false; }
  // None for a line that data.where leaves out. kFormat "<where>: ..." for a line that is not what
  // the format promises. Any thread.
  virtual std::optional<Example> parse(std::string_view line, const std::string& where) const = 0;
};

// The form is data.format's, else that of core/base/text_form.h.
// text: the whole line is text a.
// tsv: columns are separated by tabs, nothing is quoted. Without data.columns they are text a, text
// b and the label, as many as the first line has
//   and the same number in every line. Column names need a header line; under the usual names
//   (below) they are found by themselves where data.header or a name in data.where says that there
//   is one.
// jsonl: one JSON object a line. Without data.columns its members are looked up under the usual
// names (text; a, b; sentence1, sentence2; anchor,
//   positive; premise, hypothesis; query, answer; label or score; and negatives, negative, or
//   negative_1, negative_2, ...), as the first line has them. A member documents in the place of
//   text b is a list of texts: the first is text b, the others are its hard negatives, and the
//   numbers of labels (or scores) beside it are their scores.
// data.negatives: columns or members with hard negatives of text a; empty ones are none, a JSON
// list is several. data.scores: columns or members with a teacher's scores, of text b first and
// then of each hard negative; a JSON list is several. data.where: a column is compared byte for
// byte, and so is a JSON string; a number by its value; true, false and null by name. Null where
// data.where leaves `first_line` out before it could say anything: the next line is then the first.
// kFormat for one from which the columns cannot be told; `where`, in every message, names file and
// line.
std::unique_ptr<RecordParser> make_record_parser(const DataOptions& options,
                                                 const std::string& path,
                                                 std::string_view first_line,
                                                 const std::string& where);

}  // namespace contrastive::data
