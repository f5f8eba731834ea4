// The parsers behind make_record_parser(), one for each format with columns, and their shared
// functions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/data/record_parser.h"

namespace contrastive::data {

std::unique_ptr<RecordParser> make_tsv_parser(const DataOptions& options,
                                              std::string_view first_line,
                                              const std::string& where);
std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options,
                                                std::string_view first_line,
                                                const std::string& where);

using HasColumn = std::function<bool(const std::string& name)>;
// Whether two columns or members have names that are usual for text a and text b.
bool has_usual_pair(const HasColumn& has);
// Sets data.columns to the columns or members with usual names, and data.negatives if it is empty:
// "negatives", "negative", or negative_1, negative_2, ..., which mined tuples have.
void take_usual_names(const HasColumn& has, DataOptions& options);

std::string_view trimmed(std::string_view text);  // without spaces and tabs around it
std::optional<double> parse_number(
    std::string_view text);  // parses the whole text, in the classic locale
// A number, or the index of one of `names`. `hint` is added to the error message.
double parse_label(std::string_view text, const std::vector<std::string>& names,
                   const std::string& where, const std::string& hint = "");

// Removes empty negatives, and their scores if each text has a score.
void settle_negatives(Example& example);

std::string shown(std::string_view text);  // its beginning, for error messages

}  // namespace contrastive::data
