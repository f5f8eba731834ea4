// Texts of unknown origin (a title, the name of a file) as parts of a model card: whatever they
// hold, they stay one text there, and neither a key of the header, nor a heading, nor HTML.
// Malformed UTF-8 reads as U+FFFD, and so do the characters that turn the direction of a line; a
// line end, a tab and every other control character read as a space.
#pragma once

#include <string>
#include <string_view>

namespace contrastive::io {

std::string yaml_text(
    std::string_view text);  // a double-quoted scalar, which YAML 1.1 and 1.2 read alike
std::string markdown_text(std::string_view text);  // plain words in a line of Markdown
std::string markdown_code(
    std::string_view text);  // the same in the type of code, outside of tables

// A value at six digits behind the point, in every locale: YAML takes it for a number, which 1e-05
// is not.
std::string card_number(double value);
// 1234567 -> "1,234,567"
std::string card_count(int64_t value);

// The last part of a path, and nothing of the folders above it: those are the machine's business.
std::string card_file(const std::string& path);

}  // namespace contrastive::io
