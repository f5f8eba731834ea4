// The script of a character, as in Hugging Face's UnicodeScripts.
#pragma once

#include <cstdint>

namespace contrastive::text {

// For characters that go with every script: spaces, and characters that Unicode 9 does not have.
inline constexpr int16_t kAnyScript = -1;

// A number for each script of Unicode 9. Hiragana, Katakana and U+30FC count as Han.
int16_t script_of(char32_t c);

}  // namespace contrastive::text
