// Reads input texts row by row: plain text (one a line), TSV or JSON lines, from a file or standard
// input, with or without gzip. Only the current row is in memory. A blank line is an empty text in
// plain text; in the other formats it is not a row. Warns if much of a file is not text, and if the
// first line looks like column names but is read as a row.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/base/text_form.h"
#include "core/data/gunzip.h"
#include "core/data/line_splitter.h"

namespace contrastive {
class Sha256;
}

namespace contrastive::cli {

struct RowOptions {
  std::string format = "auto";  // auto (core/base/text_form.h), txt, tsv, jsonl
  // For TSV: numbers from 0, as in data.columns, or names from the first line. For JSON lines:
  // field names. If empty: the first column, or "text".
  std::vector<std::string> columns;
  bool columns_from_one = false;  // TSV columns are numbers from 1
  // An additional column, returned last. In JSON it may also be an integer, which is returned as it
  // is written.
  std::string id_column;
  bool skip_bad_rows = false;  // count unusable rows instead of ending the run
};

// --column, and the deprecated --input-column, whose numbers count from 1.
struct ColumnArguments {
  std::vector<std::string> columns, old_columns;

  void add_to(CLI::App* verb, const std::string& help, int count = 1);
  // Sets `options` if one of them was given. Warns about the deprecated one.
  void apply(RowOptions& options) const;
};

class RowReader {
 public:
  // kExitFiles if the file cannot be opened, kExitUsage for an unknown format or column. "-" is
  // standard input.
  RowReader(const std::string& path, const RowOptions& options);
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // Reads the texts of the next row, one for each column. False at the end. kExitData with file and
  // line for an unusable row.
  bool next(std::vector<std::string>& texts);

  // Adds every byte of the file, as it is on the disk, to `digest` while the file is read. Call it
  // before next().
  void digest_into(Sha256* digest) { digest_ = digest; }

  int64_t line() const { return line_; }  // of the row that next() returned, from 1
  int64_t skipped() const { return skipped_; }
  double fraction() const;  // of the file that was read, in [0, 1]; -1 if its size is unknown

 private:
  void settle(TextForm form);
  void settle_by_first_line();
  bool read_line(std::string& line);
  bool split_line(std::string& line);  // the next line of the file
  void fill();                         // reads more for split_line()
  size_t read_bytes(char* into, size_t most);
  void warn_of_non_text(bool ended);
  bool is_header(const std::string& line);  // also looks up the column names
  void take_texts(const std::string& line, std::vector<std::string>& texts) const;
  void take_fields(const std::string& line, std::vector<std::string>& texts) const;
  void take_json(const std::string& line, std::vector<std::string>& texts) const;

  std::string path_;
  std::optional<TextForm> form_;  // unset until the first line was read
  RowOptions options_;
  std::vector<size_t> numbers_;  // TSV columns, from 0
  bool named_ = false;           // the first line is a header
  bool begun_ = false;           // a line that is not blank has been read
  Sha256* digest_ = nullptr;
  int descriptor_ = 0;
  std::unique_ptr<data::Gunzip> gunzip_;
  data::LineSplitter lines_;
  // The first line that is not blank, if it was read to see the form, and the blank ones before it.
  std::optional<std::string> first_line_;
  int64_t leading_blanks_ = 0;
  bool ended_ = false;
  int64_t line_ = 0, skipped_ = 0, bytes_read_ = 0, bytes_ = 0;
  int64_t text_bytes_ = 0, non_text_ = 0;  // of all lines; those that are not text
  bool warned_ = false;                    // of bytes that are not text
};

}  // namespace contrastive::cli
