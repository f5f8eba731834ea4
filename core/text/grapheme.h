// Extended grapheme clusters (Unicode annex 29): what a reader takes for one character.
#pragma once

#include <cstddef>
#include <string_view>

namespace contrastive::text {

// Where the cluster that begins at `begin` of valid UTF-8 ends.
size_t grapheme_end(std::string_view text, size_t begin);

}  // namespace contrastive::text
