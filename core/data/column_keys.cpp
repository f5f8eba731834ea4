#include "core/data/column_keys.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/data/data_options.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

// The items of a list, or the only one.
template <class Add>
void for_items(const Json& member, Add&& add) {
  if (!member.is_array()) return add(member);
  for (const Json& item : member) add(item);
}

}  // namespace

const std::vector<ColumnKey>& column_keys() {
  static const std::vector<ColumnKey> kColumnKeys = {
      {"negatives", &DataOptions::negatives, &Example::negatives,
       "a text b, the positive, in data.columns",
       "columns or members with hard negatives, texts that do not belong to text a; an empty one "
       "is ignored, and a JSON list holds several"},
      {"scores", &DataOptions::scores, &Example::scores, "a text b, whose score is the first",
       "columns or members with the scores that a teacher gave text b and then each hard negative, "
       "as mining writes them (output_scores); a JSON list holds several"},
  };
  return kColumnKeys;
}

bool sets_column_keys(const DataOptions& options) {
  return std::any_of(column_keys().begin(), column_keys().end(),
                     [&](const ColumnKey& key) { return !(options.*key.columns).empty(); });
}

void check_column_keys(const DataOptions& options) {
  for (const ColumnKey& key : column_keys()) {
    check((options.*key.columns).empty() || options.columns.size() > 1, Status::kArgument,
          "config key 'data.", key.name, "' needs ", key.needs);
  }
}

void add_cell(const ColumnKey& key, std::string_view cell, const std::string& where,
              Example& example) {
  if (const auto* texts = std::get_if<std::vector<std::string> Example::*>(&key.field))
    (example.**texts).emplace_back(cell);
  if (const auto* numbers = std::get_if<std::vector<double> Example::*>(&key.field)) {
    const std::optional<double> number = parse_number(trimmed(cell));
    check(number.has_value(), Status::kFormat, where, ": the value '", shown(cell), "' of data.",
          key.name, " is not a number");
    (example.**numbers).push_back(*number);
  }
}

void add_texts(const Json& member, const std::string& name, const std::string& where,
               std::vector<std::string>& texts) {
  for_items(member, [&](const Json& item) {
    check(item.is_string(), Status::kFormat, where, ": the member '", name,
          "' is neither a string nor a list of strings");
    texts.push_back(item.get<std::string>());
  });
}

void add_member(const ColumnKey& key, const Json& member, const std::string& name,
                const std::string& where, Example& example) {
  if (const auto* texts = std::get_if<std::vector<std::string> Example::*>(&key.field))
    add_texts(member, name, where, example.**texts);
  if (const auto* numbers = std::get_if<std::vector<double> Example::*>(&key.field)) {
    for_items(member, [&](const Json& item) {
      check(item.is_number(), Status::kFormat, where, ": the member '", name,
            "' is neither a number nor a list of numbers");
      (example.**numbers).push_back(item.get<double>());
    });
  }
}

}  // namespace contrastive::data
