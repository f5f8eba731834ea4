// The target of a request (RFC 9112, section 3.2): a path, or a whole address, as proxies and some
// clients write it.
#pragma once

#include <string>

namespace contrastive::cli::serve {

struct Target {
  std::string path;       // without the query
  std::string authority;  // of "http://authority/path"; "" where the target is a path alone
  bool valid = true;      // false for an address without a host, or with a user in it
};

Target target_of(const std::string& text);

// "a%2Fb" is "a/b". What is no escape stays as it is.
std::string percent_decoded(const std::string& text);

}  // namespace contrastive::cli::serve
