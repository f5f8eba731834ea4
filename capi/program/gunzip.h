// Decompresses a gzip stream (all its members) piece by piece, from a file or a pipe.
#pragma once

#include <zlib.h>

#include <string>
#include <string_view>

namespace contrastive::cli {

class Gunzip {
 public:
  Gunzip();
  ~Gunzip();
  Gunzip(const Gunzip&) = delete;
  Gunzip& operator=(const Gunzip&) = delete;

  static bool begins(std::string_view head) { return head.substr(0, 2) == "\x1f\x8b"; }
  // Adds input to decompress. Before another call, next() must have returned false.
  void feed(std::string_view packed);
  // Appends at most `most` decompressed bytes. False if all input is consumed. A Failure (CORRUPT)
  // for damaged input.
  bool next(std::string& unpacked, size_t most);
  // Call this at the end of the input. A Failure (CORRUPT) if it ends inside a member.
  void finish() const;

 private:
  z_stream stream_{};
  std::string packed_;
  bool in_member_ = false, after_member_ = false;
};

}  // namespace contrastive::cli
