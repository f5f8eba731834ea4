#include "core/io/pickled_checkpoint.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/base/error.h"
#include "core/base/tensor.h"
#include "core/io/state_pickle.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxPickle = int64_t{16} << 20;
constexpr int64_t kMaxSharing = 16;  // there are models whose embeddings have four names

using Records = std::map<std::string, ZipEntry>;  // by their names without the common folder

std::string read_record(const TensorFile& file, const ZipEntry& record) {
  std::string bytes(static_cast<size_t>(record.bytes), '\0');
  file.read(bytes.data(), record.bytes, record.offset);
  return bytes;
}

void check_kind(const TensorFile& file) {
  // A pickle without a zip around it begins with its protocol.
  char head = 0;
  if (file.bytes() > 0) file.read(&head, 1, 0);
  check(head != '\x80', Status::kUnsupported, file.path(),
        ": is in the format of torch before 1.6, which is not read; convert it with: "
        "python -c \"import torch; "
        "torch.save(torch.load('pytorch_model.bin', map_location='cpu', weights_only=True), "
        "'pytorch_model.bin')\"");
}

// All records are in one folder, which is named after the file that was first written.
Records records_of(const TensorFile& file) {
  const std::string& path = file.path();
  Records records;
  std::string folder;
  for (ZipEntry& entry : read_stored_zip(file)) {
    const std::string own = entry.name.substr(0, entry.name.find('/') + 1);
    if (folder.empty()) folder = own;
    check(!own.empty() && own == folder, Status::kFormat, path, ": entry '",
          entry.name.substr(0, 100), "' lies outside of the one folder that torch.save writes");
    std::string name = entry.name.substr(own.size());
    records.emplace(std::move(name), std::move(entry));
  }
  check(records.count("data.pkl") > 0, Status::kFormat, path,
        ": has no data.pkl: torch.save did not write it");
  check(records.count("constants.pkl") == 0, Status::kUnsupported, path,
        ": is a TorchScript program, and no program of a checkpoint is ever run");
  return records;
}

void check_byte_order(const TensorFile& file, const Records& records) {
  const auto found = records.find("byteorder");  // exists since torch 2.1
  if (found == records.end()) return;
  check(found->second.bytes <= 16, Status::kFormat, file.path(), ": byteorder has ",
        found->second.bytes, " bytes");
  const std::string order = read_record(file, found->second);
  check(order == "little", Status::kUnsupported, file.path(), ": byteorder is '", order,
        "'; only little is read");
}

void check_crc(const TensorFile& file, const ZipEntry& record) {
  check(crc_of(file, record.offset, record.bytes) == record.crc, Status::kCorrupt, file.path(),
        ": entry '", record.name.substr(0, 100),
        "' does not have the CRC-32 that the file states: it is damaged");
}

// The number of elements of a shape, at most `storage`.
int64_t count_elements(const PickledTensor& tensor, const std::string& where) {
  const bool none = std::find(tensor.shape.begin(), tensor.shape.end(), 0) != tensor.shape.end();
  const int64_t most = none ? kAnySize : tensor.storage_elements;
  int64_t count = 1;
  for (const int64_t extent : tensor.shape) {
    check(extent <= most / count, Status::kUnsupported, where, ": the shape ",
          shape_text(tensor.shape), " has more elements than its storage, ",
          tensor.storage_elements);
    count *= std::max<int64_t>(extent, 1);
  }
  return none ? 0 : count;
}

bool is_row_major(const PickledTensor& tensor) {
  int64_t stride = 1;
  for (size_t i = tensor.shape.size(); i-- > 0;) {
    if (tensor.shape[i] != 1 && tensor.strides[i] != stride) return false;
    stride *= tensor.shape[i];
  }
  return true;
}

TensorEntry entry_of(const PickledTensor& tensor, const ZipEntry& record,
                     const std::string& where) {
  const int64_t width = bytes_of(tensor.dtype);
  check(record.bytes % width == 0 && record.bytes / width == tensor.storage_elements,
        Status::kFormat, where, ": its storage ", record.name.substr(0, 100), " has ", record.bytes,
        " bytes where ", tensor.storage_elements, " elements of type ", tensor.dtype,
        " are stated");
  TensorEntry entry;
  entry.name = tensor.name;
  entry.dtype = tensor.dtype;
  entry.shape = tensor.shape;
  entry.elements = count_elements(tensor, where);
  entry.offset = record.offset;
  if (entry.elements == 0) return entry;
  int64_t last = tensor.first;  // the index of an element
  for (size_t i = 0; i < tensor.shape.size(); ++i) {
    int64_t reach = 0;
    const bool fits = !__builtin_mul_overflow(tensor.shape[i] - 1, tensor.strides[i], &reach) &&
                      !__builtin_add_overflow(last, reach, &last);
    check(fits, Status::kFormat, where, ": leaves its storage of ", tensor.storage_elements,
          " elements");
  }
  check(last < tensor.storage_elements, Status::kFormat, where, ": ends with element ", last,
        " of a storage of ", tensor.storage_elements);
  entry.offset += tensor.first * width;
  entry.bytes = (last - tensor.first + 1) * width;
  if (is_row_major(tensor)) return entry;
  // The tensor is read from its first element to its last, gaps included.
  check(entry.bytes / kMaxSharing <= entry.elements * width, Status::kLimit, where, ": takes ",
        entry.bytes, " bytes of its storage, gaps included, more than ", kMaxSharing,
        " times those of its elements");
  entry.strides = tensor.strides;
  for (size_t i = 0; i < entry.shape.size(); ++i) {
    if (entry.shape[i] == 1)
      entry.strides[i] = 0;  // the dimension has one index, so any stride is allowed
  }
  return entry;
}

}  // namespace

PickledCheckpoint::PickledCheckpoint(std::string path) : TensorFile(std::move(path)) {
  check_kind(*this);
  const Records records = records_of(*this);
  check_byte_order(*this, records);
  const ZipEntry& pickle = records.at("data.pkl");
  check(pickle.bytes <= kMaxPickle, Status::kLimit, this->path(), ": data.pkl has ", pickle.bytes,
        " bytes, above the limit of ", kMaxPickle);
  checksums_ = pickle.crc != 0;  // 0 cannot be the CRC of a readable pickle
  if (checksums_) check_crc(*this, pickle);

  std::map<std::string, size_t> places;
  std::vector<std::string> dtypes;  // of the storages
  int64_t in_memory = 0;
  for (const PickledTensor& tensor :
       parse_state_pickle(read_record(*this, pickle), this->path() + ": data.pkl")) {
    const std::string where = this->path() + ": tensor '" + tensor.name.substr(0, 200) + "'";
    const auto record = records.find("data/" + tensor.storage);
    check(record != records.end(), Status::kFormat, where, ": its storage data/",
          tensor.storage.substr(0, 100), " is missing");
    entries_.push_back(entry_of(tensor, record->second, where));
    in_memory += entries_.back().elements * bytes_of(tensor.dtype);
    check(in_memory <= kMaxSharing * bytes(), Status::kLimit, this->path(),
          ": the tensors share their storages so much that they are more than ", kMaxSharing,
          " times as large as the file");
    const auto [place, first] = places.emplace(tensor.storage, records_.size());
    if (first) {
      records_.push_back(record->second);
      dtypes.push_back(tensor.dtype);
    }
    check(dtypes[place->second] == tensor.dtype, Status::kFormat, where,
          ": takes its storage data/", tensor.storage, " for elements of type ", tensor.dtype,
          ", where another tensor takes it for ", dtypes[place->second]);
    record_of_.push_back(place->second);
  }
  verified_ = std::make_unique<std::atomic<bool>[]>(records_.size());
  for (size_t i = 0; i < records_.size(); ++i) verified_[i] = false;
}

void PickledCheckpoint::verify(const TensorEntry& entry) const {
  const size_t record = record_of_[static_cast<size_t>(&entry - entries().data())];
  if (!checksums_ || verified_[record]) return;
  check_crc(*this, records_[record]);
  verified_[record] = true;  // set only afterwards; two threads that check the same bytes do no
                             // harm
}

}  // namespace contrastive::io
