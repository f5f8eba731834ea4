// Escapes texts of unknown origin (a title, a file name) for a model card. Whatever they contain,
// they remain one text and cannot become a key of the header, a heading, or HTML. Malformed UTF-8
// and the characters that change the direction of a line become U+FFFD. A line end, a tab and every
// other control character become a space.
#pragma once

#include <string>
#include <string_view>

namespace contrastive::io {

std::string yaml_text(
    std::string_view text);  // a double-quoted scalar, with the same meaning in YAML 1.1 and 1.2
std::string markdown_text(std::string_view text);  // plain text in a line of Markdown
std::string markdown_code(std::string_view text);  // inline code, outside of tables

// A number with six decimal places, in every locale. YAML does not read 1e-05 as a number.
std::string card_number(double value);
// 1234567 -> "1,234,567"
std::string card_count(int64_t value);

// The last component of a path. The folders above it are private to the machine.
std::string card_file(const std::string& path);

}  // namespace contrastive::io
