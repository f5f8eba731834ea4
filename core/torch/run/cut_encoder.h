// Embeds each text once and returns its vector truncated to several dimensions. Used to score the
// dev file of a run with Matryoshka dimensions.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/eval/text_encoder.h"

namespace contrastive::run {

// Used by one thread at a time. Must outlive the encoders that at() returns.
class CutEncoder {
 public:
  explicit CutEncoder(eval::TextEncoder whole) : whole_(std::move(whole)) {}

  // The first `dimension` numbers of the vectors, not normalised, because cosines do not depend on
  // their length.
  eval::TextEncoder at(int64_t dimension);

 private:
  void embed_missing(const std::vector<std::string_view>& texts);

  eval::TextEncoder whole_;
  std::unordered_map<std::string, std::vector<float>> vectors_;
};

}  // namespace contrastive::run
