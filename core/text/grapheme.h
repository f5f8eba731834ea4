// Extended grapheme clusters (Unicode annex 29): what a reader sees as one character.
#pragma once

#include <cstddef>
#include <string_view>

namespace contrastive::text {

// The end of the cluster that begins at `begin` in valid UTF-8.
size_t grapheme_end(std::string_view text, size_t begin);

}  // namespace contrastive::text
