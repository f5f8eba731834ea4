// Decides which browser pages may send requests to a server without keys. A page of any site can
// reach a server on loopback, either directly or through a hostname that it points there (DNS
// rebinding). Browsers send the page's site in header Origin; programs do not send it.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::serve {

// True for "localhost" and loopback addresses in any notation ("::ffff:127.0.0.1", "::1%lo").
bool is_loopback(const std::string& host);

// False if header Host is a hostname that an attacker could point at this server: it is not an
// address, not localhost, contains a dot, and is not the host of an origin in `allowed`. This check
// is needed because browsers do not send Origin if a page GETs from its own site, but always Host.
bool is_known_host(const std::string& host, const std::vector<std::string>& allowed);

// True if `text` has the form in which browsers write an origin: a scheme, a host in lower case, an
// optional port, and nothing else.
bool is_origin(const std::string& text);

// True if `origin` is one of `allowed`. Then browsers let its pages read the answers.
bool is_listed(const std::string& origin, const std::vector<std::string>& allowed);

// True if `origin` ("http://127.0.0.1:8000") is the server's own page or one of `allowed`. Its own
// page has the same host as header Host, and that is an address, localhost, or a name without a
// dot, which cannot be registered.
bool may_ask(const std::string& origin, const std::string& host,
             const std::vector<std::string>& allowed);

}  // namespace contrastive::cli::serve
