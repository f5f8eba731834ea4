#include "capi/program/serve/origin.h"

#include <arpa/inet.h>

#include <algorithm>
#include <cctype>

namespace contrastive::cli::serve {
namespace {

// The host without port and brackets: "::1" for "[::1]:8000", "localhost" for "localhost:8000".
std::string without_port(const std::string& place) {
  if (!place.empty() && place[0] == '[') return place.substr(1, place.find(']') - 1);
  return place.substr(0, place.find(':'));
}

std::string lower(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// The host and port of an origin, without its scheme; "" if it has no scheme.
std::string place_of(const std::string& origin) {
  const size_t scheme = origin.find("://");
  return scheme == std::string::npos ? "" : origin.substr(scheme + 3);
}

bool is_address(const std::string& name) {
  unsigned char address[sizeof(in6_addr)];
  return inet_pton(AF_INET, name.c_str(), address) == 1 ||
         inet_pton(AF_INET6, name.c_str(), address) == 1;
}

bool is_own_name(const std::string& name) {
  const size_t dot = name.rfind('.');
  return !name.empty() &&
         (dot == std::string::npos || name.substr(dot) == ".localhost" || is_address(name));
}

}  // namespace

bool is_loopback(const std::string& host) {
  in6_addr address{};
  const std::string without_zone = host.substr(0, host.find('%'));
  if (inet_pton(AF_INET6, without_zone.c_str(), &address) == 1) {
    return IN6_IS_ADDR_LOOPBACK(&address) ||
           (IN6_IS_ADDR_V4MAPPED(&address) && address.s6_addr[12] == 127);
  }
  return host == "localhost" || (is_address(host) && host.rfind("127.", 0) == 0);
}

bool is_known_host(const std::string& host, const std::vector<std::string>& allowed) {
  const std::string name = lower(without_port(host));
  if (host.empty() || is_own_name(name)) return true;
  return std::any_of(allowed.begin(), allowed.end(), [&](const std::string& origin) {
    return lower(without_port(place_of(origin))) == name;
  });
}

bool is_origin(const std::string& text) {
  const std::string place = place_of(text);
  const auto plain = [](unsigned char c) { return c > ' ' && c <= '~' && std::isupper(c) == 0; };
  return !place.empty() && text[0] != ':' && place.find_first_of("/?#@*") == std::string::npos &&
         std::all_of(text.begin(), text.end(), plain);
}

bool is_listed(const std::string& origin, const std::vector<std::string>& allowed) {
  return std::find(allowed.begin(), allowed.end(), origin) != allowed.end();
}

bool may_ask(const std::string& origin, const std::string& host,
             const std::vector<std::string>& allowed) {
  if (is_listed(origin, allowed)) return true;
  const std::string place = place_of(origin);  // "" for the origin "null" of opaque pages
  return !place.empty() && place == host && is_own_name(without_port(place));
}

}  // namespace contrastive::cli::serve
