// The parsers behind make_record_parser(), one for each format with columns, and their shared
// functions.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/record_parser.h"

namespace contrastive::data {

std::unique_ptr<RecordParser> make_tsv_parser(const DataOptions& options,
                                              std::string_view first_line,
                                              const std::string& where);
std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options,
                                                std::string_view first_line,
                                                const std::string& where);

// The usual names of text a and text b, in the order in which they are tried.
const std::vector<std::pair<const char*, const char*>>& usual_pair_names();

// negative_1, negative_2, ..., as long as there are such columns or members. Mined tuples have
// them.
std::vector<std::string> numbered_negatives(
    const std::function<bool(const std::string& name)>& has);

std::optional<double> parse_number(
    std::string_view text);  // parses the whole text, in the classic locale
// A number, or the index of one of `names`. `hint` is added to the error message.
double parse_label(std::string_view text, const std::vector<std::string>& names,
                   const std::string& where, const std::string& hint = "");

// Removes empty negatives, and their scores if each text has a score.
void settle_negatives(Example& example);

double parse_score(std::string_view text, const std::string& where);  // a number for data.scores
// the beginning of a text, for error messages
std::string shown(std::string_view text);

}  // namespace contrastive::data
