// Input texts, row by row: plain text (one a line), TSV, JSONL, from a file or standard input,
// packed with gzip or not. Only the row at hand lies in memory. A blank line is an empty text in
// plain text, and no row elsewhere. Warns of a file much of which is no text, and of a first line
// that looks like the names of columns and is read as a row.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "capi/program/gunzip.h"
#include "capi/program/non_text.h"
#include "core/base/text_form.h"

namespace contrastive {
class Sha256;
}

namespace contrastive::cli {

struct RowOptions {
  std::string format = "auto";  // auto (core/base/text_form.h), txt, tsv, jsonl
  // TSV: numbers from 0, as in data.columns, or names, which are then in the first line; JSONL:
  // field names. Empty: the first column, or "text".
  std::vector<std::string> columns;
  bool columns_from_one = false;  // TSV columns are numbers from 1
  std::string id_column;  // one column more, the last; of it a whole number in JSON is taken too,
                          // as it is written
  bool skip_bad_rows = false;  // rows that cannot be used are counted instead of ending the run
};

// --column, and --input-column, which it replaces and whose numbers count from 1.
struct ColumnArguments {
  std::vector<std::string> columns, old_columns;

  void add_to(CLI::App* verb, const std::string& help, int count = 1);
  // Into `options`, where one of them was given; warns of the old one.
  void apply(RowOptions& options) const;
};

class RowReader {
 public:
  // kExitFiles where it cannot be opened, kExitUsage for a format or column that is none. "-" is
  // standard input.
  RowReader(const std::string& path, const RowOptions& options);
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // The texts of the next row, one for each column; false at the end. kExitData with file and line
  // for a row that cannot be used.
  bool next(std::vector<std::string>& texts);

  // Gives every byte of the file, as it lies on the disk, to `digest` while it is read. To be
  // called before next().
  void digest_into(Sha256* digest) { digest_ = digest; }

  int64_t line() const { return line_; }  // of the row that next() returned, from 1
  int64_t skipped() const { return skipped_; }
  double fraction()
      const;  // how much of the file was read, in [0, 1]; -1 where its size is not known

 private:
  void settle(TextForm form);
  std::string first_line();  // that is not blank; it stays to be read
  bool read_line(std::string& line);
  bool fill();  // reads more into the buffer; false at the end
  size_t read_bytes(char* into, size_t most);
  bool is_header(const std::string& line);  // looks the names of columns up
  void take_texts(const std::string& line, std::vector<std::string>& texts) const;
  void take_fields(const std::string& line, std::vector<std::string>& texts) const;
  void take_json(const std::string& line, std::vector<std::string>& texts) const;

  std::string path_;
  std::optional<TextForm> form_;  // none before the first line has told it
  RowOptions options_;
  std::vector<size_t> numbers_;  // TSV columns, from 0
  bool named_ = false;           // the first line is a header
  bool begun_ = false;           // a line that is not blank was read
  std::unique_ptr<Gunzip> gunzip_;
  NonText non_text_;
  Sha256* digest_ = nullptr;
  int descriptor_ = 0;
  std::string buffer_;  // what was read and not yet given out begins at next_
  size_t next_ = 0;
  bool ended_ = false;
  int64_t line_ = 0, skipped_ = 0, bytes_read_ = 0, bytes_ = 0;
};

}  // namespace contrastive::cli
