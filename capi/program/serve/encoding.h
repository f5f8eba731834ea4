// How the body of a request is encoded (header Content-Encoding; RFC 9110, section 8.4).
#pragma once

#include <cstddef>
#include <string>

namespace contrastive::cli::serve {

class Share;

enum class Encoding { kIdentity, kGzip, kUnknown };

// The encoding for the value of a Content-Encoding header ("" without the header). "x-gzip" is
// gzip. Several encodings of one body are kUnknown.
Encoding encoding_of(const std::string& header);

// Decompresses a body. Refusal 400 if it is not gzip, 413 if it has more than `limit` bytes, or a
// Refusal of `memory`, which counts both the packed and the decompressed body as they grow.
std::string gunzip(const std::string& packed, size_t limit, Share& memory);

}  // namespace contrastive::cli::serve
