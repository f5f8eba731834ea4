// Finds the address by which other machines reach this one.
#pragma once

#include <string>

namespace contrastive::dist {

// The address of this machine on the route to `host`; "" if there is no route. Sends nothing.
std::string local_address(const std::string& host);

// The first address that the name `host` resolves to on this machine, in digits; "" if it resolves
// to none.
std::string address_of(const std::string& host);

// Whether an address in digits is a loopback address.
bool is_loopback(const std::string& address);

}  // namespace contrastive::dist
