// The script that a character is written in, as Hugging Face's UnicodeScripts sees it.
#pragma once

#include <cstdint>

namespace contrastive::text {

// What stands with every script: spaces, and what Unicode 9 does not know.
inline constexpr int16_t kAnyScript = -1;

// A number of its own for each script of Unicode 9; Hiragana, Katakana and U+30FC count as Han.
int16_t script_of(char32_t c);

}  // namespace contrastive::text
