// The format of a file of texts or training examples: plain text, tab-separated columns or JSON
// lines. All readers of such files use these functions to detect it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace contrastive {

enum class TextForm { kText, kTsv, kJsonl };

// Detects the format by the file's name: .txt, .tsv, .jsonl or .ndjson, each optionally followed by
// .gz. Returns nothing for other names, such as "-". Throws kArgument for unsupported formats
// (.csv, .json, .parquet, ...); the error suggests `option`, which sets the format.
std::optional<TextForm> text_form_of_name(std::string_view path, std::string_view option);
// Detects the format by the first line that is not blank: a line with a tab is tab-separated
// columns, a line in braces is a JSON object, and anything else is text.
TextForm text_form_of_line(std::string_view first_line);

// True if a line of tab-separated columns looks like a header ("query", "positive", "score", ...):
// its only cell does, or two of its cells do.
bool looks_like_titles(std::string_view line);

}  // namespace contrastive
