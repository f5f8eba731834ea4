// Base64 (RFC 4648): bytes as they stand in JSON.
#pragma once

#include <string>
#include <string_view>

namespace contrastive {

// kFormat, naming `source`, for what is no base64 with its padding.
std::string decode_base64(std::string_view text, const std::string& source);

}  // namespace contrastive
