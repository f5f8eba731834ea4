// When two texts are one: by their bytes, or by what is left of them once case, white space and
// compatible forms of characters are taken out.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "core/data/row_store.h"
#include "core/text/normalizer.h"

namespace contrastive::mining {

// Half of the SHA-256 of `prefix` and `text`: equal keys are equal texts.
data::RowKey text_key(std::string_view prefix, std::string_view text);

// True where no character of the text is more than white space.
bool is_blank(std::string_view text);

// NFKD in lower case, each run of white space as one blank, none at both ends; what is not UTF-8 as
// U+FFFD.
class TextNormalizer {
 public:
  TextNormalizer();
  std::string normalize(std::string_view text) const;
  uint64_t hash(std::string_view text) const;  // of the normalised text

 private:
  text::Normalizer steps_;
};

}  // namespace contrastive::mining
