#include "core/io/npy.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "core/base/affixes.h"
#include "core/base/checked.h"
#include "core/base/error.h"
#include "core/base/temporary.h"

namespace contrastive::io {
namespace {

// The format: https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html
constexpr std::string_view kMagic = "\x93NUMPY";
constexpr size_t kPrefix = 10;   // magic, two bytes of version, two bytes of the header's length
constexpr size_t kHeader = 128;  // that is written; a multiple of 64
constexpr int64_t kPiece = 1 << 20;  // bytes that are written at a time

// The value of a key in the header, a Python dictionary: the text after "'key': ".
std::string_view value_of(std::string_view header, std::string_view key) {
  const size_t at = header.find(cat("'", key, "':"));
  if (at == std::string_view::npos) return {};
  header.remove_prefix(at + key.size() + 3);
  header.remove_prefix(std::min(header.find_first_not_of(' '), header.size()));
  return header;
}

// Reads the number at the beginning of `text` and takes it and `after` off. False if one is
// missing.
bool take_number(std::string_view& text, int64_t& number, std::string_view after) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || number < 0) return false;
  text.remove_prefix(static_cast<size_t>(end - text.data()));
  if (!begins_with(text, after)) return false;
  text.remove_prefix(after.size());
  return true;
}

bool read_shape(std::string_view header, int64_t& rows, int64_t& columns) {
  if (!begins_with(value_of(header, "descr"), "'<f4'") ||
      !begins_with(value_of(header, "fortran_order"), "False"))
    return false;
  std::string_view shape = value_of(header, "shape");
  if (!begins_with(shape, "(")) return false;
  shape.remove_prefix(1);
  return take_number(shape, rows, ", ") && take_number(shape, columns, ")");
}

}  // namespace

void write_npy(const std::string& path, const float* values, int64_t rows, int64_t columns) {
  std::string header(kMagic);
  header += {'\x01', '\x00', static_cast<char>(kHeader - kPrefix), '\x00'};
  header += cat("{'descr': '<f4', 'fortran_order': False, 'shape': (", rows, ", ", columns, "), }");
  header.resize(kHeader - 1, ' ');
  header += '\n';
  TemporaryFile file(path);
  write_all(file.descriptor(), header, file.path());
  const auto* const bytes = reinterpret_cast<const char*>(values);
  const int64_t size = (Size(rows, "rows") * columns * int64_t{sizeof(float)}).value();
  for (int64_t at = 0; at < size; at += kPiece) {
    write_all(file.descriptor(), {bytes + at, static_cast<size_t>(std::min(kPiece, size - at))},
              file.path());
  }
  file.commit();
}

NpyFile::NpyFile(const std::string& path) : path_(path), file_(open_file(path, FileUse::kRead)) {
  const int64_t size = file_size(file_, path);
  std::string prefix(kPrefix, '\0');
  check(read_up_to(file_.get(), prefix.data(), kPrefix, 0, path) == int64_t{kPrefix} &&
            begins_with(prefix, kMagic),
        Status::kFormat, path, ": this is not a .npy file");
  check(prefix[6] == 1 && prefix[7] == 0, Status::kFormat, path,
        ": only version 1.0 of the .npy format is read");
  std::string header(static_cast<unsigned char>(prefix[8]) +
                         256u * static_cast<unsigned char>(prefix[9]),
                     '\0');
  data_at_ = static_cast<int64_t>(kPrefix + header.size());
  check(read_up_to(file_.get(), header.data(), static_cast<int64_t>(header.size()), kPrefix,
                   path) == static_cast<int64_t>(header.size()),
        Status::kCorrupt, path, ": the file ends inside its header");
  check(read_shape(header, rows_, columns_), Status::kFormat, path,
        ": a matrix of little-endian float32 in C order is needed, found ",
        header.substr(0, header.find_last_not_of(" \n") + 1));
  const int64_t needed = (Size(rows_, "rows") * columns_ * int64_t{sizeof(float)}).value();
  check(needed == size - data_at_, Status::kCorrupt, path, ": the header promises ", rows_, " x ",
        columns_, " floats, and the file has ", size - data_at_, " bytes of them");
}

void NpyFile::read(float* into) const {
  const int64_t bytes = rows_ * columns_ * int64_t{sizeof(float)};
  check(read_up_to(file_.get(), reinterpret_cast<char*>(into), bytes, data_at_, path_) == bytes,
        Status::kCorrupt, path_, ": the file shrank while it was read");
}

}  // namespace contrastive::io
