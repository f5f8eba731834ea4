#include "capi/program/serve/target.h"

#include <strings.h>

#include <charconv>

namespace contrastive::cli::serve {
namespace {

std::string without_query(const std::string& target) { return target.substr(0, target.find('?')); }

// The length of "http://" or "https://" at the beginning, or 0.
size_t scheme_length(const std::string& text) {
  for (const std::string scheme : {"http://", "https://"}) {
    if (strncasecmp(text.c_str(), scheme.c_str(), scheme.size()) == 0) return scheme.size();
  }
  return 0;
}

}  // namespace

Target target_of(const std::string& text) {
  const size_t scheme = scheme_length(text);
  if (scheme == 0) return {without_query(text), "", true};
  const std::string rest = without_query(text.substr(scheme));
  const size_t slash = rest.find('/');
  Target target;
  target.authority = rest.substr(0, slash);
  target.path = slash == std::string::npos ? "/" : rest.substr(slash);
  target.valid = !target.authority.empty() && target.authority[0] != ':' &&
                 target.authority.find('@') == std::string::npos;
  return target;
}

std::string percent_decoded(const std::string& text) {
  std::string decoded;
  for (size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    const char* const digits = text.data() + i + 1;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(digits, digits + 2, byte, 16).ptr == digits + 2) {
      decoded += static_cast<char>(byte);
      i += 2;
    } else {
      decoded += text[i];
    }
  }
  return decoded;
}

}  // namespace contrastive::cli::serve
