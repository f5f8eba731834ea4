// The parsers behind make_record_parser(), one for each form with columns, and what they share.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/data/record_parser.h"

namespace contrastive::data {

std::unique_ptr<RecordParser> make_tsv_parser(const DataOptions& options, const std::string& path, std::string_view first_line);
std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options, const std::string& path, std::string_view first_line);

// The usual names of text a and text b, in the order in which they are looked for.
const std::vector<std::pair<const char*, const char*>>& usual_pair_names();

// A number in the classic locale, or one of `names`: its place.
// `hint` is what else the message suggests.
double parse_label(std::string_view text, const std::vector<std::string>& names, const std::string& where, const std::string& hint = "");

// Whether a line's value in the column of each condition, in their order, is what data.where asks for.
bool agrees(const std::vector<Condition>& conditions, const std::vector<std::string_view>& values);

std::string shown(std::string_view text);  // its beginning, for messages

}  // namespace contrastive::data
