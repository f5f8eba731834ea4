// Rows of fixed size under 16-byte keys, appended and never changed: in memory, or in a folder that outlives the process.
//
// A folder holds `vectors` (the rows, mapped into memory) and `index` (one record a row: key, note, checksum). Rows are written before their record,
// and a row is believed only when its checksum holds; so a process that is killed, a full disk or a power loss costs the last rows and nothing else.
// One process at a time appends; a second one reads what is there and keeps its own rows in memory.
#pragma once

#include <array>
#include <cstdint>
#include <cstring>
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
  explicit RowStore(int64_t row_bytes);                    // in memory
  RowStore(int64_t row_bytes, const std::string& folder);  // makes the folder; kIo when that is impossible, the errors of open_file
  ~RowStore();
  RowStore(const RowStore&) = delete;
  RowStore& operator=(const RowStore&) = delete;

  static constexpr int64_t kAbsent = -1;
  int64_t find(const RowKey& key);  // number of its row, or kAbsent
  int64_t append(const RowKey& key, uint64_t note, const void* row);
  const char* row(int64_t number) const;  // valid until the next append
  void drop_pages() const;                // takes the file's pages out of this process' memory; they are read again when a row is asked for
  uint64_t note(int64_t number) const { return records_[static_cast<size_t>(number)].note; }
  const RowKey& key(int64_t number) const { return records_[static_cast<size_t>(number)].key; }
  int64_t size() const { return static_cast<int64_t>(records_.size()); }
  bool durable() const { return writing_; }            // appended rows reach the folder
  int64_t durable_rows() const { return file_rows_; }  // the first rows are in the folder, those from here on in memory only

 private:
  struct Record {
    RowKey key;
    uint64_t note;
    uint64_t checksum;
  };
  struct KeyHash {
    size_t operator()(const RowKey& key) const { return static_cast<size_t>(key[0]); }  // a piece of a SHA-256 is a hash already
  };

  void open_files(const std::string& folder);
  bool write_row(const Record& record, const void* row);
  void map_rows(int64_t rows);

  int64_t row_bytes_;
  std::vector<Record> records_;
  std::vector<bool> verified_;  // [records] the checksum was compared in this process
  std::unordered_map<RowKey, int64_t, KeyHash> numbers_;
  int64_t file_rows_ = 0;  // rows that lie in the file; the later ones are in memory_
  std::deque<std::vector<char>> memory_;
  Descriptor vectors_, index_;  // the lock is on the index
  bool writing_ = false;
  pid_t writer_ = 0;  // a child of fork() shares the lock, and must not write rows over its parent's
  char* mapping_ = nullptr;
  int64_t mapped_rows_ = 0;  // room of the mapping, which may reach beyond the end of the file
};

}  // namespace contrastive::data
