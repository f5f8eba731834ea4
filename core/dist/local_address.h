// By which of its addresses other machines reach this one.
#pragma once

#include <string>

namespace contrastive::dist {

// The address of this machine on the way to `host`; "" where no way leads there. Sends nothing.
std::string local_address(const std::string& host);

}  // namespace contrastive::dist
