// Which pages of a browser may ask a server that has no keys. A page of any other site can reach a
// server on loopback too: directly, or under a name of its own that leads there (DNS rebinding).
// Browsers say in header Origin whose page asks; programs send none.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::serve {

// True for "localhost" and the addresses of loopback, in every form that names them
// ("::ffff:127.0.0.1", "::1%lo").
bool is_loopback(const std::string& host);

// False where header Host is a name that anybody may have led here: no address, not localhost, with
// a dot, and of no origin in `allowed`. Browsers always send one, and no Origin where a page GETs
// from what it takes for its own place.
bool is_known_host(const std::string& host, const std::vector<std::string>& allowed);

// True where `text` is written as browsers write an origin: a scheme, a host in small letters, a
// port where it has one, and nothing behind.
bool is_origin(const std::string& text);

// True where `origin` is one of `allowed`: a browser lets its pages read the answers.
bool is_listed(const std::string& origin, const std::vector<std::string>& allowed);

// True where `origin` ("http://127.0.0.1:8000") is the server's own page: the same place as header
// Host, by an address, by localhost, or by a name without a dot, which is nobody's to give away. Of
// other names only those in `allowed` are.
bool may_ask(const std::string& origin, const std::string& host,
             const std::vector<std::string>& allowed);

}  // namespace contrastive::cli::serve
