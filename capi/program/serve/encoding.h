// How the body of a request is encoded (header Content-Encoding; RFC 9110, section 8.4).
#pragma once

#include <cstddef>
#include <string>

namespace contrastive::cli::serve {

class Share;

enum class Encoding { kIdentity, kGzip, kUnknown };

// Of the header's value, "" for none. "x-gzip" is gzip; several encodings of one body are unknown.
Encoding encoding_of(const std::string& header);

// The body that `packed` holds. Refusal 400 if it is not gzip, 413 beyond `limit` bytes, and those
// of `memory`, which holds both as they grow.
std::string gunzip(const std::string& packed, size_t limit, Share& memory);

}  // namespace contrastive::cli::serve
