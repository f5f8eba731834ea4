#include "capi/cli/npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <regex>

#include "capi/cli/failure.h"
#include "capi/cli/files.h"

namespace contrastive::cli {
namespace {

constexpr char kMagic[] = "\x93NUMPY\x01\x00";
constexpr size_t kMagicBytes = 8, kPrefixBytes = 10;  // and two bytes of header length
constexpr size_t kHeaderBytes = 128;                  // a multiple of 64, as the format asks

Failure bad_npy(const std::string& path, const std::string& message) { return Failure(kExitData, "FORMAT", message).at(path); }

}  // namespace

std::string npy_header(int64_t rows, int64_t columns) {
  std::string header(kMagic, kMagicBytes);
  header += static_cast<char>((kHeaderBytes - kPrefixBytes) & 0xff);
  header += static_cast<char>((kHeaderBytes - kPrefixBytes) >> 8);
  header += "{'descr': '<f4', 'fortran_order': False, 'shape': (" + std::to_string(rows) + ", " + std::to_string(columns) + "), }";
  header.resize(kHeaderBytes - 1, ' ');
  return header + '\n';
}

Matrix read_npy(const std::string& path) {
  Descriptor descriptor = open_regular_file(path);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(fdopen(descriptor.get(), "rb"), std::fclose);
  if (file == nullptr) throw system_failure("read", path, errno);
  descriptor.release();
  char prefix[kPrefixBytes];
  if (std::fread(prefix, 1, kPrefixBytes, file.get()) != kPrefixBytes || std::memcmp(prefix, kMagic, 6) != 0) {
    throw bad_npy(path, "this is no .npy file");
  }
  if (std::memcmp(prefix, kMagic, kMagicBytes) != 0) throw bad_npy(path, "only version 1.0 of the .npy format is read");
  std::string header(static_cast<unsigned char>(prefix[8]) + 256u * static_cast<unsigned char>(prefix[9]), '\0');
  if (std::fread(header.data(), 1, header.size(), file.get()) != header.size()) throw bad_npy(path, "the file ends inside its header");
  static const std::regex kShape(R"('shape':\s*\((\d{1,15}),\s*(\d{1,9})\))");
  std::smatch shape;
  const bool known = header.find("'descr': '<f4'") != std::string::npos && header.find("'fortran_order': False") != std::string::npos;
  if (!known || !std::regex_search(header, shape, kShape)) {
    throw bad_npy(path, "a matrix of little-endian float32 in C order is needed, found " + header);
  }
  Matrix matrix;
  matrix.rows = std::stoll(shape[1]);
  matrix.columns = std::stoll(shape[2]);
  const auto data_at = std::ftell(file.get());
  std::fseek(file.get(), 0, SEEK_END);
  const int64_t bytes = std::ftell(file.get()) - data_at;
  std::fseek(file.get(), data_at, SEEK_SET);
  int64_t needed = 0;
  if (__builtin_mul_overflow(matrix.rows, matrix.columns * int64_t{4}, &needed) || needed != bytes) {
    throw bad_npy(path, "the header promises " + std::to_string(matrix.rows) + " x " + std::to_string(matrix.columns) + " floats, the file has " +
                            std::to_string(bytes) + " bytes of them");
  }
  matrix.values.resize(static_cast<size_t>(matrix.rows * matrix.columns));
  if (std::fread(matrix.values.data(), 4, matrix.values.size(), file.get()) != matrix.values.size()) throw system_failure("read", path, errno);
  return matrix;
}

}  // namespace contrastive::cli
