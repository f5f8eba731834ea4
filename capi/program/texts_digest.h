// The SHA-256 of a list of texts, kept beside the vectors that `encode` made of them: texts.npy has
// texts.npy.texts.sha256. A header of .npy has no place for it that every reader of the format
// accepts.
#pragma once

#include <string>
#include <string_view>

#include "core/base/sha256.h"

namespace contrastive::cli {

class TextsDigest {
 public:
  void add(std::string_view text);
  // After the last text: makes `vectors` the vectors of these texts, whatever was there before.
  void keep_for(const std::string& vectors);
  // kExitData where the file beside `vectors` says that they are the vectors of other texts, or of
  // these in another order. If the file does not exist, nothing is checked.
  void check_against(const std::string& vectors);

 private:
  Sha256 hash_;
};

}  // namespace contrastive::cli
