#include "core/base/json.h"

#include <cmath>
#include <set>

#include "core/base/error.h"
#include "core/base/file.h"

namespace contrastive {
namespace {

constexpr int64_t kMaxComparisons =
    200'000'000;  // about one second: one object of 20,000 keys, or many smaller ones

std::string found(const Json& value) {
  std::string text = dump_ascii(value);
  return text.size() <= 60 ? text : text.substr(0, 57) + "...";
}

}  // namespace

Json parse_json(std::string_view text, const std::string& source, const JsonLimits& limits) {
  check(static_cast<int64_t>(text.size()) <= limits.max_bytes, Status::kLimit, source, ": ",
        text.size(), " bytes of JSON, above the limit of ", limits.max_bytes);
  // The parser treats a NUL as the end of its input and would ignore what follows.
  const size_t nul = text.find('\0');
  check(nul == std::string_view::npos, Status::kFormat, source, ": not valid JSON at byte ",
        nul + 1, ": a NUL character");
  std::vector<std::set<std::string>> keys;  // the keys of every open object
  int64_t comparisons = 0;
  const Json::parser_callback_t watch = [&](int depth, Json::parse_event_t event, Json& parsed) {
    check(depth <= limits.max_depth, Status::kLimit, source, ": JSON nested deeper than ",
          limits.max_depth);
    if (event == Json::parse_event_t::object_start) keys.emplace_back();
    if (event == Json::parse_event_t::object_end) keys.pop_back();
    if (event == Json::parse_event_t::key) {
      // An ordered object compares a new key with all its keys. Without a limit, a file with a
      // million keys would take hours.
      comparisons += static_cast<int64_t>(keys.back().size());
      check(comparisons <= kMaxComparisons, Status::kLimit, source,
            ": JSON objects with too many keys");
      const std::string& key = parsed.get_ref<const std::string&>();
      const bool is_new = keys.back().insert(key).second;
      check(is_new || limits.allow_duplicate_keys, Status::kFormat, source, ": the key '",
            key.substr(0, 100), "' appears twice in one object");
    }
    return true;
  };
  try {
    return Json::parse(text.begin(), text.end(), watch);
  } catch (const Json::parse_error& error) {
    fail(Status::kFormat, source, ": not valid JSON at byte ", error.byte, ": ", error.what());
  } catch (const Json::exception& error) {
    fail(Status::kFormat, source, ": not valid JSON: ", error.what());
  }
}

Json read_json_file(const std::string& path, const JsonLimits& limits) {
  return parse_json(read_file(path, limits.max_bytes), path, limits);
}

std::string dump_ascii(const Json& value, int indent) {
  return value.dump(indent, ' ', true, Json::error_handler_t::replace);
}

JsonObject::JsonObject(const Json& value, std::string source, std::set<std::string>* asked)
    : value_(value), source_(std::move(source)), asked_(asked) {
  check(value.is_object(), Status::kFormat, source_, ": a JSON object is needed, not ",
        found(value));
}

Json::const_iterator JsonObject::find(const std::string& key) const {
  if (asked_ != nullptr) asked_->insert(key);
  return value_.find(key);
}

bool JsonObject::has(const std::string& key) const {
  const auto it = find(key);
  return it != value_.end() && !it->is_null();
}

bool JsonObject::is_null(const std::string& key) const {
  const auto it = find(key);
  return it != value_.end() && it->is_null();
}

const Json& JsonObject::at(const std::string& key) const {
  check(has(key), Status::kFormat, source_, ": the key '", key, "' is missing");
  return *value_.find(key);
}

int64_t JsonObject::integer(const std::string& key, int64_t low, int64_t high) const {
  const Json& value = at(key);
  const bool fits =
      value.is_number_unsigned()
          ? value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max())
          : value.is_number_integer();
  const int64_t number = fits ? value.get<int64_t>() : 0;
  check(fits && number >= low && number <= high, Status::kFormat, source_, ": ", key,
        " must be a whole number from ", low, " to ", high, ", not ", found(value));
  return number;
}

int64_t JsonObject::integer(const std::string& key, int64_t low, int64_t high,
                            int64_t fallback) const {
  return has(key) ? integer(key, low, high) : fallback;
}

double JsonObject::real(const std::string& key, double low, double high) const {
  const Json& value = at(key);
  const double number = value.is_number() ? value.get<double>() : std::nan("");
  check(number >= low && number <= high, Status::kFormat, source_, ": ", key,
        " must be a number from ", low, " to ", high, ", not ", found(value));
  return number;
}

double JsonObject::real(const std::string& key, double low, double high, double fallback) const {
  return has(key) ? real(key, low, high) : fallback;
}

bool JsonObject::boolean(const std::string& key, bool fallback) const {
  if (!has(key)) return fallback;
  check(at(key).is_boolean(), Status::kFormat, source_, ": ", key, " must be true or false, not ",
        found(at(key)));
  return at(key).get<bool>();
}

std::string JsonObject::string(const std::string& key) const {
  check(at(key).is_string(), Status::kFormat, source_, ": ", key, " must be a string, not ",
        found(at(key)));
  return at(key).get<std::string>();
}

std::string JsonObject::string(const std::string& key, const std::string& fallback) const {
  return has(key) ? string(key) : fallback;
}

}  // namespace contrastive
