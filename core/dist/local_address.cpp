#include "core/dist/local_address.h"

#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <memory>

#include "core/base/file.h"

namespace contrastive::dist {

std::string local_address(const std::string& host) {
  addrinfo wanted{}, *found = nullptr;
  wanted.ai_socktype = SOCK_DGRAM;  // connecting such a socket only asks for the way
  if (::getaddrinfo(host.c_str(), "9", &wanted, &found) != 0) return "";
  const std::unique_ptr<addrinfo, void (*)(addrinfo*)> all(found, ::freeaddrinfo);
  for (const addrinfo* each = found; each != nullptr; each = each->ai_next) {
    const Descriptor socket(::socket(each->ai_family, each->ai_socktype | SOCK_CLOEXEC, each->ai_protocol));
    if (socket.get() < 0 || ::connect(socket.get(), each->ai_addr, each->ai_addrlen) != 0) continue;
    sockaddr_storage own{};
    socklen_t length = sizeof own;
    char name[NI_MAXHOST];
    const bool known = ::getsockname(socket.get(), reinterpret_cast<sockaddr*>(&own), &length) == 0 &&
                       ::getnameinfo(reinterpret_cast<const sockaddr*>(&own), length, name, sizeof name, nullptr, 0, NI_NUMERICHOST) == 0;
    if (known) return name;
  }
  return "";
}

}  // namespace contrastive::dist
