// Input texts, row by row: plain text (one a line), TSV, JSONL, from a file or standard input. Only the row at hand lies in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::cli {

struct RowOptions {
  std::string format = "auto";        // auto (by the file's extension), txt, tsv, jsonl
  std::vector<std::string> columns;   // TSV: numbers from 1; JSONL: field names. Empty: the first column, or "text"
  bool skip_bad_rows = false;         // rows that cannot be used are counted instead of ending the run
};

class RowReader {
 public:
  // kExitFiles where it cannot be opened, kExitUsage for a format or column that is none. "-" is standard input.
  RowReader(const std::string& path, const RowOptions& options);
  ~RowReader();
  RowReader(const RowReader&) = delete;
  RowReader& operator=(const RowReader&) = delete;

  // The texts of the next row, one for each column; false at the end. kExitData with file and line for a row that cannot be used.
  bool next(std::vector<std::string>& texts);

  int64_t line() const { return line_; }        // of the row that next() returned, from 1
  int64_t skipped() const { return skipped_; }
  double fraction() const;                      // how much of the file was read, in [0, 1]; -1 where its size is not known

 private:
  bool read_line(std::string& line);
  bool fill();  // reads more into the buffer; false at the end
  void take_texts(const std::string& line, std::vector<std::string>& texts) const;
  void take_fields(const std::string& line, std::vector<std::string>& texts) const;
  void take_json(const std::string& line, std::vector<std::string>& texts) const;

  std::string path_, format_;
  RowOptions options_;
  std::vector<size_t> numbers_;  // TSV columns, from 0
  int descriptor_ = 0;
  std::string buffer_;  // what was read and not yet given out begins at next_
  size_t next_ = 0;
  bool ended_ = false;
  int64_t line_ = 0, skipped_ = 0, bytes_read_ = 0, bytes_ = 0;
};

}  // namespace contrastive::cli
