#include "core/base/options.h"

#include <algorithm>
#include <charconv>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive {
namespace {

constexpr const char* kMayChange = "may_change";  // a field of a row

std::string shown(const Json& value) {
  const std::string text = dump_ascii(value);
  return text.size() <= 80 ? text : text.substr(0, 77) + "...";
}

bool whole(const Json& value) {
  if (value.is_number_unsigned())
    return value.get<uint64_t>() <= static_cast<uint64_t>(std::numeric_limits<int64_t>::max());
  if (value.is_number_integer()) return true;
  // Users write whole numbers as 1e6 too.
  return value.is_number_float() && std::floor(value.get<double>()) == value.get<double>() &&
         std::fabs(value.get<double>()) <= 0x1p53;
}

// The items of a JSON array, or of "a,b" on a command line.
std::vector<std::string> items_of(const Json& entry) {
  std::vector<std::string> items;
  if (entry.is_array()) {
    for (const Json& item : entry)
      items.push_back(item.is_string() ? item.get<std::string>() : item.dump());
    return items;
  }
  const std::string text = entry.is_string() ? entry.get<std::string>() : entry.dump();
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

// The text is used in paths and C calls, where a NUL would end it.
std::string text_entry(const std::string& key, const Json& entry) {
  check(entry.is_primitive() && !entry.is_null(), Status::kArgument, "config key '", key,
        "' must be a string, not ", shown(entry));
  const std::string text = entry.is_string()
                               ? entry.get<std::string>()
                               : entry.dump();  // "2024" typed on a command line is still text
  const size_t nul = text.find('\0');
  check(nul == std::string::npos, Status::kArgument, "config key '", key,
        "' holds a NUL character, at ", nul);
  return text;
}

template <class Number>
bool parse_whole(const std::string& text, Number& value) {
  const char* const end = text.data() + text.size();
  const auto [parsed, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && parsed == end;
}

bool parse_item(const std::string& text, double& value) { return parse_whole(text, value); }
bool parse_item(const std::string& text, int64_t& value) {
  double number = 0;
  if (parse_whole(text, value)) return true;
  const bool whole = parse_whole(text, number) && std::floor(number) == number &&
                     std::fabs(number) <= 0x1p53;  // accepts 1e3, like integer()
  if (whole) value = static_cast<int64_t>(number);
  return whole;
}

template <class Number>
std::vector<Number> numbers_of(const std::string& key, const Json& entry, const Range& range,
                               const char* kind) {
  std::vector<Number> numbers;
  for (const std::string& item : items_of(entry)) {
    Number value = 0;
    double number = 0;  // an item may be too large for a 64-bit integer
    const bool ok = parse_item(item, value) && std::isfinite(static_cast<double>(value)) &&
                    range.contains(static_cast<double>(value));
    if (!parse_whole(item, number)) number = std::nan("");
    check(ok, Status::kArgument, "config key '", key, "' takes ", kind, " ", range.text(number),
          ", not '", item.substr(0, 40), "'");
    numbers.push_back(value);
  }
  check(!numbers.empty(), Status::kArgument, "config key '", key,
        "' is empty: at least one number is needed");
  return numbers;
}

}  // namespace

std::string Range::text(double refused) const {
  // A stream would write 1048576 as 1.04858e+06.
  const auto is_whole = [](double bound) {
    return bound == std::floor(bound) && std::fabs(bound) < 0x1p63;
  };
  const auto shown = [&](double bound) {
    return is_whole(bound) ? cat(static_cast<int64_t>(bound)) : cat(bound);
  };
  const bool bounded_low = std::isfinite(low),
             bounded_high = std::isfinite(high) && (high < 1e9 || refused >= high);
  if (bounded_low && bounded_high)
    return cat(low_open ? "above " : "from ", shown(low), high_open ? " to below " : " to ",
               shown(high));
  if (bounded_low) return cat(low_open ? "above " : "at least ", shown(low));
  if (bounded_high) return cat(high_open ? "below " : "at most ", shown(high));
  return "any finite number";
}

void OptionReader::real(const char* key, double& value, const Range& range, const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  const double number = entry->is_number() ? entry->get<double>() : std::nan("");
  check(std::isfinite(number) && range.contains(number), Status::kArgument, "config key '",
        full(key), "' must be a number ", range.text(number), ", not ", shown(*entry));
  value = number;
}

void OptionReader::integer(const char* key, int64_t& value, const Range& range, const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  const double number = entry->is_number() ? entry->get<double>() : std::nan("");
  const bool ok = whole(*entry) && range.contains(number);
  check(ok, Status::kArgument, "config key '", full(key), "' must be a whole number ",
        range.text(number), ", not ", shown(*entry));
  value =
      entry->is_number_float() ? static_cast<int64_t>(entry->get<double>()) : entry->get<int64_t>();
}

void OptionReader::flag(const char* key, bool& value, const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  if (entry->is_boolean()) {
    value = entry->get<bool>();
  } else if (*entry == "on" || *entry == "yes" || *entry == 1) {
    value = true;
  } else if (*entry == "off" || *entry == "no" || *entry == 0) {
    value = false;
  } else {
    fail(Status::kArgument, "config key '", full(key), "' must be true or false (on or off), not ",
         shown(*entry));
  }
}

void OptionReader::text(const char* key, std::string& value, const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  value = text_entry(full(key), *entry);
}

void OptionReader::name(const char* key, std::string& value, const std::vector<std::string>& legal,
                        const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  // Config::set() keeps "on" and "off" as text and parses true and false as booleans. A list of
  // names may contain either spelling.
  const std::string text = entry->is_string() ? entry->get<std::string>() : entry->dump();
  check(std::find(legal.begin(), legal.end(), text) != legal.end(), Status::kArgument,
        "config key '", full(key), "': ", unknown_name("value", text, legal));
  value = text;
}

void OptionReader::list(const char* key, std::vector<std::string>& value, const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry == nullptr) return;
  for (const Json& item : entry->is_array() ? *entry : Json::array({*entry}))
    text_entry(full(key), item);
  value = items_of(*entry);
}

void OptionReader::numbers(const char* key, std::vector<double>& value, const Range& range,
                           const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry != nullptr) value = numbers_of<double>(full(key), *entry, range, "numbers");
}

void OptionReader::integers(const char* key, std::vector<int64_t>& value, const Range& range,
                            const OptionDoc&) {
  const Json* entry = config_.find(full(key));
  if (entry != nullptr) value = numbers_of<int64_t>(full(key), *entry, range, "whole numbers");
}

Json& OptionDescriber::row(const char* key, const char* type, Json value, const OptionDoc& doc) {
  Json row = {{"key", full(key)},
              {"type", type},
              {"default", std::move(value)},
              {"help", doc.help_}};
  if (!doc.unit_.empty()) row["unit"] = doc.unit_;
  if (!doc.source_.empty()) row["source"] = doc.source_;
  if (doc.may_change_) row = changeable_on_resume(std::move(row));
  rows_.push_back(std::move(row));
  return rows_.back();
}

void OptionDescriber::real(const char* key, double& value, const Range& range,
                           const OptionDoc& doc) {
  row(key, "real", value, doc)["range"] = range.text();
}
void OptionDescriber::integer(const char* key, int64_t& value, const Range& range,
                              const OptionDoc& doc) {
  row(key, "integer", value, doc)["range"] = range.text();
}
void OptionDescriber::flag(const char* key, bool& value, const OptionDoc& doc) {
  row(key, "boolean", value, doc);
}
void OptionDescriber::text(const char* key, std::string& value, const OptionDoc& doc) {
  row(key, "string", value, doc);
}
void OptionDescriber::name(const char* key, std::string& value,
                           const std::vector<std::string>& legal, const OptionDoc& doc) {
  row(key, "choice", value, doc)["values"] = legal;
}
void OptionDescriber::list(const char* key, std::vector<std::string>& value, const OptionDoc& doc) {
  row(key, "list", value, doc);
}
void OptionDescriber::numbers(const char* key, std::vector<double>& value, const Range& range,
                              const OptionDoc& doc) {
  row(key, "list", value, doc)["range"] = range.text();
}
void OptionDescriber::integers(const char* key, std::vector<int64_t>& value, const Range& range,
                               const OptionDoc& doc) {
  row(key, "list", value, doc)["range"] = range.text();
}

bool may_change_on_resume(const Json& row) { return row.contains(kMayChange); }

Json changeable_on_resume(Json row) {
  row[kMayChange] = true;
  return row;
}

void reject_unknown_keys(const Config& config, const Json& described_rows) {
  std::vector<std::string> known;
  for (const Json& row : described_rows) known.push_back(row["key"].get<std::string>());
  for (const std::string& key : config.keys()) {
    if (key.compare(0, 2, "x-") == 0) continue;
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    constexpr size_t kFew = 12;  // in a list of a hundred keys, the right one is hard to find
    if (known.size() <= kFew) fail(Status::kArgument, unknown_name("config key", key, known));
    const std::string nearest = nearest_name(key, known);
    fail(Status::kArgument, "unknown config key '", key.substr(0, 100), "'",
         nearest.empty() ? "" : "; did you mean '" + nearest + "'?",
         nearest.empty() ? "; `contrastive config` or cs_config_describe lists the keys" : "");
  }
}

}  // namespace contrastive
