// The SHA-256 of a list of texts. `encode` stores it next to the vectors of these texts: texts.npy
// has texts.npy.texts.sha256. It is not in the header of the .npy file, because not every reader of
// the format would accept it there.
#pragma once

#include <string>
#include <string_view>

#include "core/base/sha256.h"

namespace contrastive::cli {

class TextsDigest {
 public:
  void add(std::string_view text);
  // Call it after the last text. Stores the digest for the file `vectors`, and replaces an old one.
  void keep_for(const std::string& vectors);
  // kExitData if the digest that is stored for `vectors` differs: they are the vectors of other
  // texts, or of these texts in another order. If there is no stored digest, nothing is checked.
  void check_against(const std::string& vectors);

 private:
  Sha256 hash_;
};

}  // namespace contrastive::cli
