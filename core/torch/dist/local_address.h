// By which of its addresses other machines reach this one.
#pragma once

#include <string>

namespace contrastive::dist {

// The address of this machine on the way to `host`; "" where no way leads there. Sends nothing.
std::string local_address(const std::string& host);

// The first address that the name `host` stands for on this machine, in digits; "" where it stands
// for none.
std::string address_of(const std::string& host);

// Whether an address in digits leads to the machine that uses it.
bool is_loopback(const std::string& address);

}  // namespace contrastive::dist
