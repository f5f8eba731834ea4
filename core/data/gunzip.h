// Decompresses a gzip stream (all its members) piece by piece, from a file or a pipe.
#pragma once

#include <zlib.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace contrastive::data {

bool is_gzip(std::string_view head);  // the first two bytes are enough

class Gunzip {
 public:
  explicit Gunzip(std::string source);  // names the stream in error messages
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  // Adds input to decompress. Before another call, next() must have returned "".
  void feed(std::string_view packed);
  // The next decompressed bytes, at most 64 KiB, which stay valid until the next call. "" if all
  // input is consumed. Throws kCorrupt for damaged input.
  std::string_view next();
  // Call this at the end of the input. Throws kCorrupt if it ends inside a member.
  void finish() const;

 private:
  std::string source_;
  z_stream stream_{};
  std::string packed_, unpacked_;
  int64_t packed_bytes_ = 0;  // in all
  bool in_member_ = false, after_member_ = false;
};

}  // namespace contrastive::data
