// Parses lines with one JSON object each: which member is which text, and the label.
#include <algorithm>
#include <utility>

#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

class JsonlParser : public RecordParser {
 public:
  explicit JsonlParser(const DataOptions& options)
      : names_(options.label_names), conditions_(options.conditions()), columns_(options.columns),
        negatives_(options.negatives), scores_(options.scores) {}

  // Finds the members that data.columns does not name. False if data.where leaves this line out.
  bool settle(std::string_view first_line, const std::string& where) {
    const Json record = object(first_line, where);
    if (!is_wanted(record, where)) return false;
    if (columns_.empty()) take_usual_members(record, where);
    check(negatives_.empty() || columns_.size() != 1, Status::kArgument,
          "config key 'data.negatives' needs a text b, the positive, in data.columns");
    check(scores_.empty() || columns_.size() != 1, Status::kArgument,
          "config key 'data.scores' needs a text b, whose score is the first");
    check(names_.empty() || columns_.size() > 2, Status::kArgument, where,
          ": config key 'data.label_names' is set, but no member is the label: it is the "
          "third in data.columns");
    return true;
  }

  std::optional<Example> parse(std::string_view line, const std::string& where) const override {
    const Json record = object(line, where);
    if (!is_wanted(record, where)) return std::nullopt;
    Example example;
    example.a = text(record, columns_[0], where);
    if (columns_.size() > 1) take_b(record, where, example);
    if (columns_.size() > 2) example.label = label(record, where);
    for (const std::string& name : negatives_)
      take_negatives(record, name, where, example.negatives);
    for (const std::string& name : scores_) take_scores(record, name, where, example.scores);
    settle_negatives(example);
    return example;
  }

 private:
  void take_usual_members(const Json& record, const std::string& where) {
    for (const auto& [a, b] : usual_pair_names()) {
      if (columns_.empty() && record.contains(a) && record.contains(b)) columns_ = {a, b};
    }
    for (const char* a : {"anchor", "query"}) {
      if (columns_.empty() && record.contains(a) && record.contains("documents"))
        return take_list(record, a);
    }
    if (columns_.empty() && record.contains("text")) columns_ = {"text"};
    check(!columns_.empty(), Status::kFormat, where,
          ": data.columns must say which members are text a, text b and the label; there are: ",
          shown(members(record)));
    for (const char* label : {"label", "score"}) {
      if (columns_.size() == 2 && record.contains(label)) columns_.push_back(label);
    }
    for (const char* negatives : {"negatives", "negative"}) {
      if (columns_.size() > 1 && negatives_.empty() && record.contains(negatives))
        negatives_ = {negatives};
    }
    if (columns_.size() > 1 && negatives_.empty())
      negatives_ =
          numbered_negatives([&](const std::string& name) { return record.contains(name); });
  }

  // A list of documents and their labels, which mining writes as labeled-list.
  void take_list(const Json& record, const char* a) {
    columns_ = {a, "documents"};
    for (const char* scores : {"labels", "scores"}) {
      if (scores_.empty() && record.contains(scores)) scores_ = {scores};
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

  // One text, or a list of texts.
  static void take_negatives(const Json& record, const std::string& name, const std::string& where,
                             std::vector<std::string>& negatives) {
    const Json& value = member(record, name, where);
    for (const Json& item : value.is_array() ? value : Json::array({value})) {
      check(item.is_string(), Status::kFormat, where, ": the member '", name,
            "' is neither a string nor a list of strings");
      negatives.push_back(item.get<std::string>());
    }
  }

  // Text b, or a list of texts whose first one is text b.
  void take_b(const Json& record, const std::string& where, Example& example) const {
    const Json& value = member(record, columns_[1], where);
    example.has_b = true;
    if (!value.is_array()) {
      example.b = text(record, columns_[1], where);
      return;
    }
    take_negatives(record, columns_[1], where, example.negatives);
    check(!example.negatives.empty(), Status::kFormat, where, ": the member '", columns_[1],
          "' is an empty list");
    example.b = std::move(example.negatives.front());
    example.negatives.erase(example.negatives.begin());
  }

  // One number, or a list of numbers.
  static void take_scores(const Json& record, const std::string& name, const std::string& where,
                          std::vector<double>& scores) {
    const Json& value = member(record, name, where);
    for (const Json& item : value.is_array() ? value : Json::array({value})) {
      check(item.is_number(), Status::kFormat, where, ": the member '", name,
            "' is neither a number nor a list of numbers");
      scores.push_back(item.get<double>());
    }
  }

  double label(const Json& record, const std::string& where) const {
    const Json& value = member(record, columns_[2], where);
    if (value.is_number()) return value.get<double>();
    check(value.is_string(), Status::kFormat, where, ": the label '", columns_[2],
          "' is neither a number nor a string");
    return parse_label(value.get_ref<const std::string&>(), names_, where);
  }

  std::vector<std::string> names_;
  std::vector<Condition> conditions_;
  std::vector<std::string> columns_;    // of text a, text b, label
  std::vector<std::string> negatives_;  // of hard negatives
  std::vector<std::string> scores_;     // of text b and of the hard negatives
};

}  // namespace

std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options,
                                                std::string_view first_line,
                                                const std::string& where) {
  auto parser = std::make_unique<JsonlParser>(options);
  return parser->settle(first_line, where) ? std::move(parser) : nullptr;
}

}  // namespace contrastive::data
