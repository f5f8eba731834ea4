// Unpacks a gzip stream as it is read: from a file or a pipe, all members of it.
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
  // What is to be unpacked next; before the next call next() has to have returned false.
  void feed(std::string_view packed);
  // Appends at most `most` unpacked bytes; false when what was fed is used up. A Failure (CORRUPT)
  // for damaged bytes.
  bool next(std::string& unpacked, size_t most);
  // A Failure (CORRUPT) when the stream ends inside of a member.
  void finish() const;

 private:
  z_stream stream_{};
  std::string packed_;
  bool in_member_ = false, after_member_ = false;
};

}  // namespace contrastive::cli
