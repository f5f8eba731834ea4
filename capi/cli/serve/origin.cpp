#include "capi/cli/serve/origin.h"

#include <arpa/inet.h>

#include <algorithm>

namespace contrastive::cli::serve {
namespace {

// "[::1]:8000" is "::1", "localhost:8000" is "localhost".
std::string without_port(const std::string& place) {
  if (!place.empty() && place[0] == '[') return place.substr(1, place.find(']') - 1);
  return place.substr(0, place.find(':'));
}

bool ends_with(const std::string& text, const std::string& ending) {
  return text.size() >= ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
}

bool is_address(const std::string& name) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), address) == 1 || inet_pton(AF_INET6, name.c_str(), address) == 1;
}

bool is_own_name(const std::string& name) {
  return is_address(name) || (!name.empty() && name.find('.') == std::string::npos) || ends_with(name, ".localhost");
}

}  // namespace

bool may_ask(const std::string& origin, const std::string& host, const std::vector<std::string>& allowed) {
  if (std::find(allowed.begin(), allowed.end(), origin) != allowed.end()) return true;
  const size_t scheme = origin.find("://");
  if (scheme == std::string::npos) return false;  // "null": a page of no site
  const std::string place = origin.substr(scheme + 3);
  return place == host && is_own_name(without_port(place));
}

}  // namespace contrastive::cli::serve
