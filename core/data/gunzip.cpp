#include "core/data/gunzip.h"

#include <new>
#include <utility>

#include "core/base/error.h"

namespace contrastive::data {
namespace {

constexpr int kGzipOnly = 16 + MAX_WBITS;  // makes zlib expect a gzip header
constexpr size_t kPiece = size_t{64} << 10;

}  // namespace

bool is_gzip(std::string_view head) { return head.substr(0, 2) == "\x1f\x8b"; }

Gunzip::Gunzip(std::string source) : source_(std::move(source)), unpacked_(kPiece, '\0') {
  if (inflateInit2(&stream_, kGzipOnly) != Z_OK) throw std::bad_alloc();
}

Gunzip::~Gunzip() { inflateEnd(&stream_); }

void Gunzip::feed(std::string_view packed) {
  packed_.assign(packed);
  packed_bytes_ += static_cast<int64_t>(packed.size());
  stream_.next_in = reinterpret_cast<Bytef*>(packed_.data());
  stream_.avail_in = static_cast<uInt>(packed_.size());
}

std::string_view Gunzip::next() {
  // With no input left, zlib may still hold output of the last call.
  while (stream_.avail_in > 0 || in_member_) {
    // Another member may follow. Some tools pad files with zeros; like gzip, we ignore them.
    if (after_member_ && *stream_.next_in == 0) {
      ++stream_.next_in, --stream_.avail_in;
      continue;
    }
    after_member_ = false;
    in_member_ = true;
    stream_.next_out = reinterpret_cast<Bytef*>(unpacked_.data());
    stream_.avail_out = static_cast<uInt>(unpacked_.size());
    const int result = inflate(&stream_, Z_NO_FLUSH);
    if (result == Z_MEM_ERROR) throw std::bad_alloc();
    check(result == Z_OK || result == Z_BUF_ERROR || result == Z_STREAM_END, Status::kCorrupt,
          source_, ": damaged gzip data before byte ", packed_bytes_ - stream_.avail_in, ": ",
          stream_.msg == nullptr ? "unexpected end" : stream_.msg);
    if (result == Z_STREAM_END) {
      in_member_ = false;
      after_member_ = true;
      inflateReset(&stream_);
    }
    const size_t made = unpacked_.size() - stream_.avail_out;
    if (made > 0) return {unpacked_.data(), made};
    if (stream_.avail_in == 0) break;
  }
  return {};
}

void Gunzip::finish() const {
  check(!in_member_, Status::kCorrupt, source_,
        ": the gzip data end in the middle; was the file cut off?");
}

}  // namespace contrastive::data
