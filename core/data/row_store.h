// Stores rows of a fixed size under 16-byte keys. Rows are appended and never changed. The store is
// in memory, or in a folder that outlives the process.
//
// A folder contains `vectors` (the rows) and `index` (one record for each row: key, note,
// checksum). A row is written before its record, and is used only if its checksum matches. So a
// killed process, a full disk or a power loss only costs the last rows. Rows are read and never
// mapped, because another process may truncate the file at any time. Only one process at a time
// appends. A second one reads the existing rows and keeps its own rows in memory.
#pragma once

#include <array>
#include <cstdint>
#include <deque>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/file.h"
#include "core/base/sha256.h"

namespace contrastive::data {

using RowKey = std::array<uint64_t, 2>;  // half of a SHA-256
RowKey row_key(Sha256& hash);            // of the bytes that `hash` has received

class RowStore {
 public:
  explicit RowStore(int64_t row_bytes);  // in memory
  RowStore(int64_t row_bytes,
           const std::string& folder);  // creates the folder; throws kIo if that is impossible, and
                                        // the errors of open_file
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  static constexpr int64_t kAbsent = -1;
  int64_t find(const RowKey& key);  // the row's number or kAbsent; forgets a damaged row
  int64_t append(const RowKey& key, uint64_t note, const void* row);
  // Copies a row of row_bytes bytes. Throws kCorrupt if the file no longer contains it, and kIo.
  // Several threads may read at once.
  void read(int64_t number, void* into) const;
  uint64_t note(int64_t number) const { return records_[static_cast<size_t>(number)].note; }
  const RowKey& key(int64_t number) const { return records_[static_cast<size_t>(number)].key; }
  int64_t size() const { return static_cast<int64_t>(records_.size()); }
  bool durable() const { return writing_; }  // appended rows are written to the folder
  int64_t durable_rows() const {
    return file_rows_;
  }  // the first rows are in the folder, those from here on only in memory

 private:
  struct Record {
    RowKey key;
    uint64_t note;
    uint64_t checksum;
  };
  struct KeyHash {
    size_t operator()(const RowKey& key) const {
      return static_cast<size_t>(key[0]);
    }  // part of a SHA-256 is already a hash
  };

  void open_files(const std::string& folder);
  bool write_row(const Record& record, const void* row);
  bool read_file_row(int64_t number, char* into) const;  // false: truncated, or overwritten

  int64_t row_bytes_;
  std::string folder_;
  std::vector<Record> records_;
  std::vector<bool> verified_;  // [records] find() has checked the checksum in this process
  std::unordered_map<RowKey, int64_t, KeyHash> numbers_;
  int64_t file_rows_ = 0;  // rows in the file; later ones are in memory_
  std::deque<std::vector<char>> memory_;
  Descriptor vectors_, index_;  // index_ is locked
  bool writing_ = false;
  int64_t writer_ =
      0;  // a child of fork() shares the lock, but must not overwrite its parent's rows
};

}  // namespace contrastive::data
