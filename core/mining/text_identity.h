// When two texts count as equal: by their bytes, or after normalising case, white space and
// compatible characters.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/data/row_store.h"
#include "core/text/normalizer.h"

namespace contrastive::mining {

// Half of the SHA-256 of `prefix` and `text`: equal keys are equal texts.
data::RowKey text_key(std::string_view prefix, std::string_view text);

// True if the text contains only white space.
bool is_blank(std::string_view text);

// NFKD in lower case, with each run of white space as one blank and none at the ends; invalid UTF-8
// becomes U+FFFD.
class TextNormalizer {
 public:
  TextNormalizer();
  std::string normalize(std::string_view text) const;
  uint64_t hash(std::string_view text) const;  // of the normalised text

 private:
  text::Normalizer steps_;
};

}  // namespace contrastive::mining
