// Embeds each text once and gives its vectors at several dimensions, to score a dev file in a run
// that trains vectors that may be truncated.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/eval/text_encoder.h"

namespace contrastive::run {

// One thread at a time. Must outlive the encoders that it gives.
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
