// The vectors of texts at several dimensions, each text embedded once: what a dev file is scored
// with where a run trains vectors that may be cut.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/eval/text_encoder.h"

namespace contrastive::run {

// One thread at a time. Lives as long as the encoders that it gives.
class CutEncoder {
 public:
  explicit CutEncoder(eval::TextEncoder whole) : whole_(std::move(whole)) {}

  // The first `dimension` numbers of the vectors, as they are: cosines do not mind their length.
  eval::TextEncoder at(int64_t dimension);

 private:
  void embed_missing(const std::vector<std::string_view>& texts);

  eval::TextEncoder whole_;
  std::unordered_map<std::string, std::vector<float>> vectors_;
};

}  // namespace contrastive::run
