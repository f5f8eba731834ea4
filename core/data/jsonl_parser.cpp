// JSON objects, one a line: which member is which text, and the label.
#include "core/base/error.h"
#include "core/base/json.h"
#include "core/data/record_parsers.h"

namespace contrastive::data {
namespace {

class JsonlParser : public RecordParser {
 public:
  JsonlParser(const DataOptions& options, const std::string& path, std::string_view first_line)
      : names_(options.label_names), conditions_(options.conditions()), columns_(options.columns), negatives_(options.negatives) {
    check(negatives_.empty() || columns_.size() != 1, Status::kArgument,
          "config key 'data.negatives' needs a text b, the positive, in data.columns");
    if (!columns_.empty()) return;
    const std::string where = path + ":1";
    const Json record = object(first_line, where);
    for (const auto& [a, b] : usual_pair_names()) {
      if (columns_.empty() && record.contains(a) && record.contains(b)) columns_ = {a, b};
    }
    if (columns_.empty() && record.contains("text")) columns_ = {"text"};
    std::string members;
    for (const auto& item : record.items()) members += (members.empty() ? "" : ", ") + item.key();
    check(!columns_.empty(), Status::kFormat, where, ": data.columns must say which members are text a, text b and the label; there are: ",
          shown(members));
    for (const char* label : {"label", "score"}) {
      if (columns_.size() == 2 && record.contains(label)) columns_.push_back(label);
    }
    for (const char* negatives : {"negatives", "negative"}) {
      if (columns_.size() > 1 && negatives_.empty() && record.contains(negatives)) negatives_ = {negatives};
    }
  }

  std::optional<Example> parse(std::string_view line, const std::string& where) const override {
    const Json record = object(line, where);
    if (!is_wanted(record, where)) return std::nullopt;
    Example example;
    example.a = text(record, columns_[0], where);
    if (columns_.size() > 1) example.b = text(record, columns_[1], where), example.has_b = true;
    if (columns_.size() > 2) example.label = label(record, where);
    for (const std::string& name : negatives_) take_negatives(record, name, where, example.negatives);
    return example;
  }

 private:
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

  bool is_wanted(const Json& record, const std::string& where) const {
    std::vector<std::string> values;
    for (const Condition& condition : conditions_) {
      const Json& value = member(record, condition.column, where);
      values.push_back(value.is_string() ? value.get<std::string>() : value.dump());
    }
    return agrees(conditions_, {values.begin(), values.end()});
  }

  static std::string text(const Json& record, const std::string& name, const std::string& where) {
    const Json& value = member(record, name, where);
    check(value.is_string(), Status::kFormat, where, ": the member '", name, "' is not a string");
    return value.get<std::string>();
  }

  // One text, or a list of them.
  static void take_negatives(const Json& record, const std::string& name, const std::string& where, std::vector<std::string>& negatives) {
    const Json& value = member(record, name, where);
    for (const Json& item : value.is_array() ? value : Json::array({value})) {
      check(item.is_string(), Status::kFormat, where, ": the member '", name, "' is neither a string nor a list of strings");
      if (!item.get_ref<const std::string&>().empty()) negatives.push_back(item.get<std::string>());
    }
  }

  double label(const Json& record, const std::string& where) const {
    const Json& value = member(record, columns_[2], where);
    if (value.is_number()) return value.get<double>();
    check(value.is_string(), Status::kFormat, where, ": the label '", columns_[2], "' is neither a number nor a string");
    return parse_label(value.get_ref<const std::string&>(), names_, where);
  }

  std::vector<std::string> names_;
  std::vector<Condition> conditions_;
  std::vector<std::string> columns_;    // of text a, text b, label
  std::vector<std::string> negatives_;  // of further texts
};

}  // namespace

std::unique_ptr<RecordParser> make_jsonl_parser(const DataOptions& options, const std::string& path, std::string_view first_line) {
  return std::make_unique<JsonlParser>(options, path, first_line);
}

}  // namespace contrastive::data
