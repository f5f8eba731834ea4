#include "core/io/tensor_file.h"

#include <algorithm>
#include <utility>

#include "core/base/error.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxFile = int64_t{1} << 40;

struct StoredType {
  const char* name;
  int64_t bytes;
};
constexpr StoredType kStoredTypes[] = {{"F32", 4}, {"F16", 2}, {"BF16", 2}, {"F64", 8}, {"I64", 8},
                                       {"I32", 4}, {"I16", 2}, {"I8", 1},   {"U64", 8}, {"U32", 4},
                                       {"U16", 2}, {"U8", 1},  {"BOOL", 1}};

}  // namespace

int64_t bytes_of(std::string_view dtype) {
  for (const StoredType& type : kStoredTypes) {
    if (dtype == type.name) return type.bytes;
  }
  return 0;
}

TensorFile::TensorFile(std::string path)
    : path_(std::move(path)), file_(open_file(path_, FileUse::kRead, kMaxFile)),
      bytes_(file_size(file_, path_)) {}

void TensorFile::read(char* into, int64_t bytes, int64_t offset) const {
  check(read_up_to(file_.get(), into, bytes, offset, path_) == bytes, Status::kCorrupt, path_,
        ": became shorter while it was read");
}

const TensorEntry* TensorFile::find(std::string_view name) const {
  const auto it = std::find_if(entries_.begin(), entries_.end(),
                               [&](const TensorEntry& entry) { return entry.name == name; });
  return it == entries_.end() ? nullptr : &*it;
}

}  // namespace contrastive::io
