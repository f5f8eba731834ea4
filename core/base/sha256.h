// SHA-256 (FIPS 180-4), for fingerprints of models and checksums in manifests. Not for secrets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive {

class Sha256 {
 public:
  // `portable` does not use the processor's SHA instructions, so that tests can compare both.
  explicit Sha256(bool portable = false) : portable_(portable) {}
  void update(std::string_view bytes);
  std::string hex();  // 64 lower-case digits; do not use the object afterwards

 private:
  std::array<uint32_t, 8> state_{0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                 0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> block_{};  // the bytes that do not fill a block yet
  uint64_t bytes_ = 0;
  bool portable_;
};

std::string sha256_hex(std::string_view bytes);
// The SHA-256 of a whole file, which is read in pieces. Throws the errors of open_file, such as
// kLimit above `max_bytes`.
std::string sha256_of_file(const std::string& path, int64_t max_bytes);

}  // namespace contrastive
