#include "capi/program/serve/encoding.h"

#include <strings.h>

#include <algorithm>
#include <string_view>

#include "capi/program/serve/answer.h"
#include "capi/program/serve/memory.h"
#include "core/base/error.h"
#include "core/data/gunzip.h"

namespace contrastive::cli::serve {
namespace {

constexpr size_t kPackedPiece = 64 << 10;

}  // namespace

Encoding encoding_of(const std::string& header) {
  const auto is = [&](const char* name) { return strcasecmp(header.c_str(), name) == 0; };
  if (header.empty() || is("identity")) return Encoding::kIdentity;
  return is("gzip") || is("x-gzip") ? Encoding::kGzip : Encoding::kUnknown;
}

std::string gunzip(const std::string& packed, size_t limit, Share& memory) {
  std::string body;
  try {
    data::Gunzip stream("the body");
    for (size_t at = 0; at < packed.size(); at += kPackedPiece) {
      stream.feed(std::string_view(packed).substr(at, kPackedPiece));
      for (std::string_view piece = stream.next(); !piece.empty(); piece = stream.next()) {
        if (body.size() + piece.size() > limit) throw body_too_long(static_cast<int64_t>(limit));
        memory.require(static_cast<int64_t>(piece.size()));
        body += piece;
      }
    }
    stream.finish();
  } catch (const contrastive::Error&) {
    throw Refusal(400, "invalid_encoding",
                  "the body is not gzip, which its Content-Encoding states");
  }
  return body;
}

}  // namespace contrastive::cli::serve
