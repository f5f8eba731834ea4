// Parses the target of a request (RFC 9112, section 3.2): a path, or a whole URL, as proxies and
// some clients send it.
#pragma once

#include <string>

namespace contrastive::cli::serve {

struct Target {
  std::string path;       // without the query
  std::string authority;  // of "http://authority/path"; "" if the target is only a path
  bool valid = true;      // false for a URL without a host, or with a user
};

Target target_of(const std::string& text);

// Decodes "a%2Fb" to "a/b". Leaves invalid escapes unchanged.
std::string percent_decoded(const std::string& text);

}  // namespace contrastive::cli::serve
