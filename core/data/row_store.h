// Rows of fixed size under 16-byte keys, appended and never changed: in memory, or in a folder that
// outlives the process.
//
// A folder holds `vectors` (the rows) and `index` (one record a row: key, note, checksum). Rows are
// written before their record, and a row is believed only when its checksum holds; so a process
// that is killed, a full disk or a power loss costs the last rows and nothing else. Rows are read
// and never mapped: another process may cut the file at any time. One process at a time appends; a
// second one reads what is there and keeps its own rows in memory.
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
RowKey row_key(Sha256& hash);            // of what `hash` has been given

class RowStore {
 public:
  explicit RowStore(int64_t row_bytes);  // in memory
  RowStore(int64_t row_bytes,
           const std::string&
               folder);  // makes the folder; kIo when that is impossible, the errors of open_file
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  static constexpr int64_t kAbsent = -1;
  int64_t find(
      const RowKey& key);  // number of its row, or kAbsent; a row whose checksum fails is forgotten
  int64_t append(const RowKey& key, uint64_t note, const void* row);
  // Copies a row, of row_bytes. kCorrupt where the file no longer holds it; kIo. Several threads
  // may read at once.
  void read(int64_t number, void* into) const;
  uint64_t note(int64_t number) const { return records_[static_cast<size_t>(number)].note; }
  const RowKey& key(int64_t number) const { return records_[static_cast<size_t>(number)].key; }
  int64_t size() const { return static_cast<int64_t>(records_.size()); }
  bool durable() const { return writing_; }  // appended rows reach the folder
  int64_t durable_rows() const {
    return file_rows_;
  }  // the first rows are in the folder, those from here on in memory only

 private:
  struct Record {
    RowKey key;
    uint64_t note;
    uint64_t checksum;
  };
  struct KeyHash {
    size_t operator()(const RowKey& key) const {
      return static_cast<size_t>(key[0]);
    }  // a piece of a SHA-256 is a hash already
  };

  void open_files(const std::string& folder);
  bool write_row(const Record& record, const void* row);
  bool read_file_row(int64_t number, char* into) const;  // false: cut, or another's bytes

  int64_t row_bytes_;
  std::string folder_;
  std::vector<Record> records_;
  std::vector<bool> verified_;  // [records] find() compared the checksum in this process
  std::unordered_map<RowKey, int64_t, KeyHash> numbers_;
  int64_t file_rows_ = 0;  // rows that lie in the file; the later ones are in memory_
  std::deque<std::vector<char>> memory_;
  Descriptor vectors_, index_;  // the lock is on the index
  bool writing_ = false;
  pid_t writer_ =
      0;  // a child of fork() shares the lock, and must not write rows over its parent's
};

}  // namespace contrastive::data
