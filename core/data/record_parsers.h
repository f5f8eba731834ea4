// The parsers behind make_record_parser(), one for each form with columns, and what they share.
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

// The usual names of text a and text b, in the order in which they are looked for.
const std::vector<std::pair<const char*, const char*>>& usual_pair_names();

// negative_1, negative_2, ... as far as there are such columns or members: what mined tuples have.
std::vector<std::string> numbered_negatives(
    const std::function<bool(const std::string& name)>& has);

std::optional<double> parse_number(
    std::string_view text);  // the whole of it, in the classic locale
// A number, or one of `names`: its place.
// `hint` is what else the message suggests.
double parse_label(std::string_view text, const std::vector<std::string>& names,
                   const std::string& where, const std::string& hint = "");

// Leaves empty negatives out, and their scores with them, where each text has one.
void settle_negatives(Example& example);

double parse_score(std::string_view text, const std::string& where);  // of data.scores: a number
std::string shown(std::string_view text);                             // its beginning, for messages

}  // namespace contrastive::data
