// Who may ask: keys from a file or the environment, compared in a time that does not depend on
// them.
#pragma once

#include <string>
#include <vector>

namespace contrastive::cli::serve {

class ApiKeys {
 public:
  // The lines of `file`, or if that is "" the value of CONTRASTIVE_API_KEY; none: everybody may
  // ask. A Failure if there is no key in what is named, or one that no header can carry.
  static ApiKeys read(const std::string& file);

  bool none() const { return keys_.empty(); }
  // `authorization` is the header's value, "Bearer KEY".
  bool allow(const std::string& authorization) const;

 private:
  std::vector<std::string> keys_;
};

}  // namespace contrastive::cli::serve
