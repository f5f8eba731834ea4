// contrastive config: lists the config keys with their defaults and ranges.
#include <algorithm>

#include "capi/program/failure.h"
#include "capi/program/json_of.h"
#include "capi/program/terminal.h"
#include "capi/program/verb.h"

namespace contrastive::cli {
namespace {

std::string padded(const std::string& text, size_t width) {
  return text + std::string(text.size() < width ? width - text.size() : 0, ' ');
}

std::string default_of(const Json& row) {
  std::string text;
  if (row["default"].is_array()) {
    for (const Json& item : row["default"]) text += (text.empty() ? "" : ",") + plain(item);
  } else {
    text = plain(row["default"]);
  }
  return text.empty() ? "-" : text;
}

std::string range_of(const Json& row) {
  if (!row.contains("values"))
    return row.contains("range") ? row["range"].get<std::string>() : row["type"].get<std::string>();
  std::string text;
  for (const Json& value : row["values"])
    text += (text.empty() ? "" : ", ") + value.get<std::string>();
  return text;
}

// Prints two lines for each key: key, default and range in columns, then the help.
void print_table(const Json& rows) {
  constexpr size_t kLongestDefault = 20;
  size_t key_width = 3, default_width = 7;
  for (const Json& row : rows) {
    key_width = std::max(key_width, row["key"].get<std::string>().size());
    default_width = std::max(default_width, std::min(default_of(row).size(), kLongestDefault));
  }
  print_line(padded("key", key_width) + "  " + padded("default", default_width) + "  range");
  for (const Json& row : rows) {
    const std::string unit = row.contains("unit") ? " " + row["unit"].get<std::string>() : "";
    print_line(padded(row["key"].get<std::string>(), key_width) + "  " +
               padded(default_of(row), default_width) + "  " + range_of(row) + unit);
    const std::string source =
        row.contains("source") ? " [" + row["source"].get<std::string>() + "]" : "";
    const std::string resume = row.contains("may_change") ? " (may change on resume)" : "";
    print_line("    " + row["help"].get<std::string>() + source + resume);
  }
}

void print_topics(const Json& all) {
  size_t width = 0;
  for (const auto& [topic, rows] : all.items()) width = std::max(width, topic.size());
  for (const auto& [topic, rows] : all.items())
    print_line(padded(topic, width) + "  " + counted(static_cast<int64_t>(rows.size()), "key"));
  print_line("`contrastive config TOPIC` lists them");
}

void run(const std::string& topic, const Common& common) {
  Outcome outcome;
  const String text(cs_config_describe(topic.empty() ? nullptr : topic.c_str(), outcome));
  outcome.check();
  const Json described = Json::parse(text.get());
  if (common.json) {
    print_json(described);
  } else if (topic.empty()) {
    print_topics(described);
  } else {
    print_table(described);
  }
}

}  // namespace

void add_config(CLI::App& program, Common& common) {
  static std::string topic;
  CLI::App* verb =
      add_verb(program, "config", "List the config keys of a topic, with default, range and help",
               R"(  contrastive config
  contrastive config simcse
  contrastive config train --json)",
               common, [&common] { run(topic, common); });
  verb->add_option("topic", topic,
                   "model, recipe, vocabulary, data, train, a method or a task; without a topic "
                   "the topics are listed");
}

}  // namespace contrastive::cli
