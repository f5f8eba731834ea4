#include "core/data/row_store.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "core/base/error.h"
#include "core/base/file.h"
#include "core/base/log.h"
#include "core/data/content_hash.h"
#include "core/system/process.h"

namespace contrastive::data {
namespace {

constexpr int64_t kMostBytes = int64_t{1} << 40;  // the limit for each of its files

uint64_t checksum_of(const void* row, int64_t bytes) {
  ContentHash hash;
  hash.update({static_cast<const char*>(row), static_cast<size_t>(bytes)});
  return hash.value();
}

bool write_at(int descriptor, const void* data, int64_t bytes, int64_t offset) {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const int64_t n = system::write_at(descriptor, from, static_cast<size_t>(bytes), offset);
    if (n <= 0) return false;
    from += n, bytes -= n, offset += n;
  }
  return true;
}

// Makes the next push_back() unable to fail.
template <class Items>
void make_room(Items& items) {
  if (items.size() == items.capacity()) items.reserve(2 * items.size() + 16);
}

}  // namespace

RowKey row_key(Sha256& hash) {
  const std::string digits = hash.hex();
  RowKey key{};
  for (size_t half = 0; half < key.size(); ++half)
    std::from_chars(&digits[16 * half], &digits[16 * half + 16], key[half], 16);
  return key;
}

RowStore::RowStore(int64_t row_bytes) : row_bytes_(row_bytes) {}

RowStore::RowStore(int64_t row_bytes, const std::string& folder)
    : row_bytes_(row_bytes), folder_(folder) {
  open_files(folder);
}

void RowStore::open_files(const std::string& folder) {
  make_folders(folder);
  for (auto [name, descriptor] : {std::pair{"/index", &index_}, std::pair{"/vectors", &vectors_}}) {
    *descriptor = open_file(folder + name, FileUse::kUpdate, kMostBytes);
  }
  writing_ = system::try_lock(index_.get()) == system::Locked::kYes;
  writer_ = system::process_number();
  if (!writing_)
    log_info(folder, ": this cache is being written by another run or another process; it is read, "
                     "and new rows stay in memory");
  // The shorter of the two files shows how far an earlier process came.
  file_rows_ = std::min(file_size(index_, folder + "/index") / static_cast<int64_t>(sizeof(Record)),
                        file_size(vectors_, folder + "/vectors") / row_bytes_);
  records_.resize(static_cast<size_t>(file_rows_));
  const int64_t wanted = file_rows_ * static_cast<int64_t>(sizeof(Record));
  const int64_t found = read_up_to(index_.get(), reinterpret_cast<char*>(records_.data()), wanted,
                                   0, folder + "/index");
  check(found == wanted, Status::kIo, folder, "/index: became shorter while it was read");
  verified_.assign(records_.size(), false);
  // A later record with the same key replaces an earlier one, which must have been damaged.
  for (int64_t i = 0; i < file_rows_; ++i) numbers_[records_[static_cast<size_t>(i)].key] = i;
}

int64_t RowStore::find(const RowKey& key) {
  const auto it = numbers_.find(key);
  if (it == numbers_.end()) return kAbsent;
  const size_t number = static_cast<size_t>(it->second);
  if (!verified_[number]) {
    std::vector<char> row(static_cast<size_t>(row_bytes_));
    if (!read_file_row(it->second, row.data())) {
      log_warning("the embedding cache holds a damaged row; its text is encoded again");
      numbers_.erase(it);
      return kAbsent;
    }
    verified_[number] = true;
  }
  return it->second;
}

// Everything that can fail comes first: after half a row, all later rows would have the wrong
// number.
int64_t RowStore::append(const RowKey& key, uint64_t note, const void* row) {
  const Record record{key, note, checksum_of(row, row_bytes_)};
  const int64_t number = size();
  make_room(records_);
  make_room(verified_);
  if (writer_ != system::process_number()) writing_ = false;
  if (writing_ && !write_row(record, row)) {
    log_warning("the embedding cache cannot be written any more (", system::error_text(errno),
                "); further rows stay in memory");
    writing_ = false;
  }
  std::vector<char> bytes;
  if (!writing_)
    bytes.assign(static_cast<const char*>(row), static_cast<const char*>(row) + row_bytes_);
  const auto [entry, is_new] = numbers_.try_emplace(key, number);
  if (writing_) {
    ++file_rows_;
  } else {
    try {
      memory_.push_back(std::move(bytes));
    } catch (...) {
      if (is_new) numbers_.erase(entry);
      throw;
    }
  }
  entry->second = number;
  records_.push_back(record);
  verified_.push_back(true);
  return number;
}

bool RowStore::write_row(const Record& record, const void* row) {
  const int64_t number = file_rows_;
  return write_at(vectors_.get(), row, row_bytes_, number * row_bytes_) &&
         write_at(index_.get(), &record, sizeof record,
                  number * static_cast<int64_t>(sizeof record));
}

bool RowStore::read_file_row(int64_t number, char* into) const {
  return read_up_to(vectors_.get(), into, row_bytes_, number * row_bytes_, folder_ + "/vectors") ==
             row_bytes_ &&
         checksum_of(into, row_bytes_) == records_[static_cast<size_t>(number)].checksum;
}

void RowStore::read(int64_t number, void* into) const {
  if (number >= file_rows_) {
    std::memcpy(into, memory_[static_cast<size_t>(number - file_rows_)].data(),
                static_cast<size_t>(row_bytes_));
    return;
  }
  check(read_file_row(number, static_cast<char*>(into)), Status::kCorrupt, folder_,
        "/vectors: another process cut or changed it meanwhile; start again, and the rows that are "
        "gone are computed again");
}

}  // namespace contrastive::data
