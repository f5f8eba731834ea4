// Parses lines with one JSON object each: which member is which text, and the label.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/column_keys.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

class JsonlParser : public RecordParser {
 public:
  explicit JsonlParser(const DataOptions& options)
      : options_(options), conditions_(options.conditions()) {}

  // Finds the members that data.columns does not name. False if data.where leaves this line out.
  bool settle(std::string_view first_line, const std::string& where) {
    const Json record = object(first_line, where);
    if (!is_wanted(record, where)) return false;
    if (options_.columns.empty()) take_usual_members(record, where);
    check_column_keys(options_);
    check(options_.label_names.empty() || options_.columns.size() > 2, Status::kArgument, where,
          ": config key 'data.label_names' is set, but no member is the label: it is the "
          "third in data.columns");
    return true;
  }

  std::optional<Example> parse(std::string_view line, const std::string& where) const override {
    const Json record = object(line, where);
    if (!is_wanted(record, where)) return std::nullopt;
    Example example;
    example.a = text(record, options_.columns[0], where);
    if (options_.columns.size() > 1) take_b(record, where, example);
    if (options_.columns.size() > 2) example.label = label(record, where);
    for (const ColumnKey& key : column_keys()) {
      for (const std::string& name : options_.*key.columns)
        add_member(key, member(record, name, where), name, where, example);
    }
    settle_negatives(example);
    return example;
  }

 private:
  void take_usual_members(const Json& record, const std::string& where) {
    const auto has = [&](const std::string& name) { return record.contains(name); };
    for (const char* a : {"anchor", "query"}) {
      if (!has_usual_pair(has) && has(a) && has("documents")) return take_list(record, a);
    }
    take_usual_names(has, options_);
    check(!options_.columns.empty(), Status::kFormat, where,
          ": data.columns must say which members are text a, text b and the label; there are: ",
          shown(members(record)));
  }

  // A list of documents and their labels, which mining writes as labeled-list.
  void take_list(const Json& record, const char* a) {
    options_.columns = {a, "documents"};
    for (const char* scores : {"labels", "scores"}) {
      if (options_.scores.empty() && record.contains(scores)) options_.scores = {scores};
    }
  }

  static std::string members(const Json& record) {
    std::string names;
    for (const auto& item : record.items()) names += (names.empty() ? "" : ", ") + item.key();
    return names;
  }

  static Json object(std::string_view line, const std::string& where) {
    JsonLimits limits;
    limits.max_bytes = int64_t{32} << 20;
    Json record = parse_json(line, where, limits);
    check(record.is_object(), Status::kFormat, where, ": not a JSON object");
    return record;
  }

  static const Json& member(const Json& record, const std::string& name, const std::string& where) {
    const auto it = record.find(name);
    check(it != record.end(), Status::kFormat, where, ": the member '", name, "' is missing");
    return *it;
  }

  // Stops at the first member that does not match, so a line of another kind may lack the other
  // members.
  bool is_wanted(const Json& record, const std::string& where) const {
    for (const Condition& condition : conditions_) {
      const auto value = record.find(condition.column);
      check(value != record.end(), Status::kFormat, where, ": the member '", condition.column,
            "' of config key 'data.where' is missing; there are: ", shown(members(record)));
      check(!value->is_structured(), Status::kFormat, where, ": the member '", condition.column,
            "' of config key 'data.where' is a list or an object");
      if (std::none_of(condition.values.begin(), condition.values.end(),
                       [&](const std::string& wanted) { return is_value(*value, wanted); }))
        return false;
    }
    return true;
  }

  static bool is_value(const Json& value, const std::string& wanted) {
    if (value.is_string()) return value.get_ref<const std::string&>() == wanted;
    return value.is_number() ? parse_number(wanted) == value.get<double>()
                             : value.dump() == wanted;  // true, false, null
  }

  static std::string text(const Json& record, const std::string& name, const std::string& where) {
    const Json& value = member(record, name, where);
    check(value.is_string(), Status::kFormat, where, ": the member '", name, "' is not a string");
    return value.get<std::string>();
  }

  // Text b, or a list of texts whose first one is text b.
  void take_b(const Json& record, const std::string& where, Example& example) const {
    const Json& value = member(record, options_.columns[1], where);
    example.has_b = true;
    if (!value.is_array()) {
      example.b = text(record, options_.columns[1], where);
      return;
    }
    add_texts(value, options_.columns[1], where, example.negatives);
    check(!example.negatives.empty(), Status::kFormat, where, ": the member '", options_.columns[1],
          "' is an empty list");
    example.b = std::move(example.negatives.front());
    example.negatives.erase(example.negatives.begin());
  }

  double label(const Json& record, const std::string& where) const {
    const Json& value = member(record, options_.columns[2], where);
    if (value.is_number()) return value.get<double>();
    check(value.is_string(), Status::kFormat, where, ": the label '", options_.columns[2],
          "' is neither a number nor a string");
    return parse_label(value.get_ref<const std::string&>(), options_.label_names, where);
  }

  DataOptions options_;  // settle() adds the columns that are found
  std::vector<Condition> conditions_;
};

}  // namespace

std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options,
                                                std::string_view first_line,
                                                const std::string& where) {
  auto parser = std::make_unique<JsonlParser>(options);
  return parser->settle(first_line, where) ? std::move(parser) : nullptr;
}

}  // namespace contrastive::data
