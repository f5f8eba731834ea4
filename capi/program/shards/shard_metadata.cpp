#include "capi/program/shards/shard_metadata.h"

#include "capi/program/failure.h"

namespace contrastive::cli {
namespace {

std::string prompt_in_force(const Json& info, const EmbedArguments& arguments) {
  if (arguments.prompt) return *arguments.prompt;
  const std::string name = arguments.prompt_name.empty()
                               ? info["default_prompt_name"].get<std::string>()
                               : arguments.prompt_name;
  return name.empty() ? "" : info["prompts"].value(name, "");
}

}  // namespace

ShardMetadata model_metadata(const cs_model* model, const EmbedArguments& arguments,
                             const Embedder& embedder) {
  Outcome outcome;
  const String text(cs_model_info(model, outcome));
  outcome.check();
  const Json info = Json::parse(text.get());
  std::string pooling;
  for (const Json& name : info["pooling"])
    pooling += (pooling.empty() ? "" : "+") + name.get<std::string>();
  const bool normalized =
      arguments.normalize || (!arguments.no_normalize && info["normalize"].get<bool>());
  return {{"contract", "1"},
          {"library_version", cs_version()},
          {"model_fingerprint", info["fingerprint"].get<std::string>()},
          {"precision", info["precision"].get<std::string>()},
          {"pooling", pooling},
          {"normalized", normalized ? "true" : "false"},
          {"dimension", std::to_string(embedder.dimension())},
          {"prompt", prompt_in_force(info, arguments)},
          {"max_length", std::to_string(embedder.max_length())}};
}

void add_input(ShardMetadata& metadata, const Survey& survey) {
  metadata.emplace_back("input_hash", survey.hash);
  metadata.emplace_back("input_rows", std::to_string(survey.rows));
}

void add_reading(ShardMetadata& metadata, const RowOptions& rows) {
  std::string columns;
  for (const std::string& column : rows.columns) columns += (columns.empty() ? "" : ", ") + column;
  metadata.emplace_back("input_format", rows.format);
  metadata.emplace_back("column", columns);
  metadata.emplace_back("id_column", rows.id_column);
}

void add_shard(ShardMetadata& metadata, const Shard& shard) {
  metadata.emplace_back("shard", std::to_string(shard.index));
  metadata.emplace_back("shards", std::to_string(shard.count));
}

std::string metadata_difference(const Json& found, const ShardMetadata& wanted) {
  for (const auto& [key, value] : wanted) {
    if (key == "shard") continue;
    const auto entry = found.find(key);
    const std::string there = entry == found.end() ? "nothing"
                              : entry->is_string() ? "'" + entry->get<std::string>() + "'"
                                                   : entry->dump();
    if (there != "'" + value + "'") return key + ": found " + there + ", '" + value + "' is needed";
  }
  return "";
}

}  // namespace contrastive::cli
