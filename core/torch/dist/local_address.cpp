#include "core/torch/dist/local_address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "core/base/file.h"

namespace contrastive::dist {
namespace {

using Addresses = std::unique_ptr<addrinfo, void (*)(addrinfo*)>;

Addresses addresses_of(const std::string& host) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_DGRAM;  // connecting such a socket only looks up the route
  if (::getaddrinfo(host.c_str(), "9", &wanted, &found) != 0) found = nullptr;
  return {found, ::freeaddrinfo};
}

std::string in_digits(const sockaddr* address, socklen_t length) {
  char name[NI_MAXHOST];
  return ::getnameinfo(address, length, name, sizeof name, nullptr, 0, NI_NUMERICHOST) == 0 ? name
                                                                                            : "";
}

}  // namespace

std::string address_of(const std::string& host) {
  const Addresses all = addresses_of(host);
  return all == nullptr ? "" : in_digits(all->ai_addr, all->ai_addrlen);
}

bool is_loopback(const std::string& address) {
  return address.rfind("127.", 0) == 0 || address == "::1";
}

std::string local_address(const std::string& host) {
  const Addresses all = addresses_of(host);
  for (const addrinfo* each = all.get(); each != nullptr; each = each->ai_next) {
    const Descriptor socket(
        ::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (socket.get() < 0 || ::connect(socket.get(), each->ai_addr, each->ai_addrlen) != 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    if (::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) != 0) continue;
    const std::string name = in_digits(reinterpret_cast<const sockaddr*>(&own), length);
    if (!name.empty()) return name;
  }
  return "";
}

}  // namespace contrastive::dist
