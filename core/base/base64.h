// Base64 (RFC 4648): binary data inside JSON.
#pragma once

#include <string>
#include <string_view>

namespace contrastive {

// Throws kFormat, which names `source`, unless the text is padded Base64.
std::string decode_base64(std::string_view text, const std::string& source);

}  // namespace contrastive
