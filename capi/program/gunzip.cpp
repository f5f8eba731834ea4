#include "capi/program/gunzip.h"

#include <algorithm>
#include <new>

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // makes zlib expect a gzip header

Failure corrupt(const std::string& message) { return {kExitData, "CORRUPT", message}; }

}  // namespace

Gunzip::Gunzip() {
  if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::feed(std::string_view packed) {
  packed_.assign(packed);
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(packed_.size());
}

bool Gunzip::next(std::string& unpacked, size_t most) {
  if (after_member_ && stream_.avail_in > 0) {
    // Another member may follow. Some tools pad files with zeros; like gzip, we ignore them.
    while (stream_.avail_in > 0 && *stream_.next_in == 0) ++stream_.next_in, --stream_.avail_in;
    if (stream_.avail_in == 0) return false;
    inflateReset2(&stream_, kGzipOnly);
    after_member_ = false;
  }
  if (stream_.avail_in == 0 && !in_member_) return false;
  const size_t before = unpacked.size();
  unpacked.resize(before + most);
  stream_.next_out = reinterpret_cast<Bytef*>(&unpacked[before]);
  stream_.avail_out = static_cast<uInt>(most);
  in_member_ = true;
  const int answer = inflate(&stream_, Z_NO_FLUSH);
  unpacked.resize(unpacked.size() - stream_.avail_out);
  if (answer == Z_STREAM_END) {
    in_member_ = false;
    after_member_ = true;
    return stream_.avail_in > 0 || unpacked.size() > before;
  }
  if (answer == Z_MEM_ERROR) throw std::bad_alloc();
  if (answer != Z_OK && answer != Z_BUF_ERROR) throw corrupt("the gzip file is damaged");
  return unpacked.size() > before;
}

void Gunzip::finish() const {
  if (in_member_) throw corrupt("the gzip file is cut: its end is missing");
}

}  // namespace contrastive::cli
