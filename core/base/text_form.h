// The form of a file of texts or training examples: plain text, tab-separated columns or JSON
// lines. One rule for all that read such files.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace contrastive {

enum class TextForm { kText, kTsv, kJsonl };

// By the file's name: .txt, .tsv, .jsonl or .ndjson, each perhaps with .gz; none for another name,
// "-" included. kArgument for names of forms that are not read (.csv, .json, .parquet, ...):
// `option` is what names the form in their place.
std::optional<TextForm> text_form_of_name(std::string_view path, std::string_view option);
// By the first line that is not blank: a tab separates columns, braces enclose a JSON object, and
// anything else is text.
TextForm text_form_of_line(std::string_view first_line);

// Whether a line of tab-separated columns reads like the names of columns ("query", "positive",
// "score", ...): its only one, or two of them.
bool looks_like_titles(std::string_view line);

}  // namespace contrastive
