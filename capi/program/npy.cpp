#include "capi/program/npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <regex>

#include "capi/program/failure.h"
#include "capi/program/files.h"

namespace contrastive::cli {
namespace {

constexpr char kMagic[] = "\x93NUMPY\x01\x00";
constexpr size_t kMagicBytes = 8, kPrefixBytes = 10;  // the prefix has two bytes of header length
constexpr size_t kHeaderBytes = 128;                  // the format requires a multiple of 64

Failure bad_npy(const std::string& path, const std::string& message) {
  return Failure(kExitData, "FORMAT", message).at(path);
}

}  // namespace

std::string npy_header(int64_t rows, int64_t columns) {
  std::string header(kMagic, kMagicBytes);
  header += static_cast<char>((kHeaderBytes - kPrefixBytes) & 0xff);
  header += static_cast<char>((kHeaderBytes - kPrefixBytes) >> 8);
  header += "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " +
            std::to_string(columns) + "), }";
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

NpyRows::NpyRows(const std::string& path) : path_(path), file_(nullptr, std::fclose) {
  Descriptor descriptor = open_regular_file(path);
  file_.reset(fdopen(descriptor.get(), "rb"));
  if (file_ == nullptr) throw system_failure("read", path, errno);
  descriptor.release();
  char prefix[kPrefixBytes];
  if (std::fread(prefix, 1, kPrefixBytes, file_.get()) != kPrefixBytes ||
      std::memcmp(prefix, kMagic, 6) != 0) {
    throw bad_npy(path, "this is not a .npy file");
  }
  if (std::memcmp(prefix, kMagic, kMagicBytes) != 0)
    throw bad_npy(path, "only version 1.0 of the .npy format is read");
  std::string header(static_cast<unsigned char>(prefix[8]) +
                         256u * static_cast<unsigned char>(prefix[9]),
                     '\0');
  if (std::fread(header.data(), 1, header.size(), file_.get()) != header.size())
    throw bad_npy(path, "the file ends inside its header");
  static const std::regex kShape(R"('shape':\s*\((\d{1,15}),\s*(\d{1,9})\))");
  std::smatch shape;
  const bool known = header.find("'descr': '<f4'") != std::string::npos &&
                     header.find("'fortran_order': False") != std::string::npos;
  if (!known || !std::regex_search(header, shape, kShape)) {
    throw bad_npy(path, "a matrix of little-endian float32 in C order is needed, found " + header);
  }
  rows_ = left_ = std::stoll(shape[1]);
  columns_ = std::stoll(shape[2]);
  const auto data_at = std::ftell(file_.get());
  std::fseek(file_.get(), 0, SEEK_END);
  const int64_t bytes = std::ftell(file_.get()) - data_at;
  std::fseek(file_.get(), data_at, SEEK_SET);
  int64_t needed = 0;
  if (__builtin_mul_overflow(rows_, columns_ * int64_t{4}, &needed) || needed != bytes) {
    throw bad_npy(path, "the header promises " + std::to_string(rows_) + " x " +
                            std::to_string(columns_) + " floats, the file has " +
                            std::to_string(bytes) + " bytes of them");
  }
}

void NpyRows::read(float* into, int64_t rows) {
  const auto count = static_cast<size_t>(rows * columns_);
  if (std::fread(into, sizeof(float), count, file_.get()) != count)
    throw system_failure("read", path_, errno);
  left_ -= rows;
}

Matrix read_npy(const std::string& path) {
  NpyRows file(path);
  Matrix matrix{file.rows(), file.columns(), {}};
  matrix.values.resize(static_cast<size_t>(matrix.rows * matrix.columns));
  file.read(matrix.values.data(), matrix.rows);
  return matrix;
}

}  // namespace contrastive::cli
