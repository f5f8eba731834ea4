// API keys from a file or the environment, compared in constant time.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::serve {

class ApiKeys {
 public:
  // The lines of `file`, or if that is "" the value of CONTRASTIVE_API_KEY. If neither is given,
  // everybody may send requests. A Failure if the file or variable contains no key, or a key that
  // no header can carry.
  static ApiKeys read(const std::string& file);

  bool none() const { return keys_.empty(); }
  // `authorization` is the header's value, "Bearer KEY".
  bool allow(const std::string& authorization) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace contrastive::cli::serve
