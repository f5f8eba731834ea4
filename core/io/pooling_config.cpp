#include "core/io/pooling_config.h"

#include <algorithm>

#include "core/base/error.h"
#include "core/base/nearest.h"

namespace contrastive::io {
namespace {

constexpr int64_t kMaxEmbeddingWidth = 1 << 20;

// The old boolean key, the new name, and our name, in the order in which sentence-transformers
// concatenates them.
struct PoolingName {
  const char* flag;
  const char* mode;
  const char* pooling;
};
constexpr PoolingName kPoolings[] = {
    {"pooling_mode_cls_token", "cls", "cls"},
    {"pooling_mode_max_tokens", "max", "max"},
    {"pooling_mode_mean_tokens", "mean", "mean"},
    {"pooling_mode_mean_sqrt_len_tokens", "mean_sqrt_len_tokens", "mean-sqrt"},
    {"pooling_mode_weightedmean_tokens", "weightedmean", "weightedmean"},
    {"pooling_mode_lasttoken", "lasttoken", "lasttoken"},
    {"pooling_mode_mean_last_2_tokens", "mean_last_2_tokens", "last2"},  // of ConSERT's fork
};

const PoolingName* expressible(const std::string& pooling) {
  // The last row is only ConSERT's.
  const auto end = std::end(kPoolings) - 1;
  const auto row = std::find_if(std::begin(kPoolings), end,
                                [&](const PoolingName& p) { return pooling == p.pooling; });
  return row == end ? nullptr : row;
}

}  // namespace

PoolingConfig read_pooling_config(const Json& json, const std::string& source) {
  PoolingConfig result;
  const JsonObject config(json, source);
  result.include_prompt = config.boolean("include_prompt", true);
  const int64_t old_width = config.integer("word_embedding_dimension", 1, kMaxEmbeddingWidth, 0);
  result.width = config.integer("embedding_dimension", 1, kMaxEmbeddingWidth, old_width);
  check(old_width == 0 || old_width == result.width, Status::kMismatch, source,
        ": word_embedding_dimension is ", old_width, ", but embedding_dimension is ", result.width);

  std::vector<std::string> known;
  for (const PoolingName& row : kPoolings) known.emplace_back(row.mode);
  const auto add_mode = [&](const Json& mode) {
    check(mode.is_string(), Status::kFormat, source,
          ": pooling_mode must be a name or a list of names");
    const std::string name = mode.get<std::string>();
    const auto row = std::find_if(std::begin(kPoolings), std::end(kPoolings),
                                  [&](const PoolingName& p) { return name == p.mode; });
    check(row != std::end(kPoolings), Status::kUnsupported, source, ": ",
          unknown_name("pooling_mode", name, known));
    result.poolings.emplace_back(row->pooling);
  };
  if (config.has("pooling_mode")) {
    const Json& mode = config.at("pooling_mode");
    if (mode.is_array()) {
      for (const Json& item : mode) add_mode(item);
    } else {
      add_mode(mode);
    }
  } else {
    for (const PoolingName& row : kPoolings) {
      if (config.boolean(row.flag, false)) result.poolings.emplace_back(row.pooling);
    }
    for (const auto& [key, value] : json.items()) {
      const bool flag = key.rfind("pooling_mode_", 0) == 0 && value == true;
      const bool listed =
          std::any_of(std::begin(kPoolings), std::end(kPoolings),
                      [&, &name = key](const PoolingName& p) { return name == p.flag; });
      check(!flag || listed, Status::kUnsupported, source, ": ", key.substr(0, 100),
            " is on, and this pooling is not known");
    }
  }
  check(!result.poolings.empty(), Status::kFormat, source,
        ": no pooling mode is on, so the folder does not say how sentences are embedded");
  return result;
}

bool poolings_are_expressible(const std::vector<std::string>& poolings) {
  return std::all_of(poolings.begin(), poolings.end(),
                     [](const std::string& p) { return expressible(p) != nullptr; });
}

std::vector<std::string> nearest_expressible(const std::vector<std::string>& poolings) {
  std::vector<std::string> result;
  for (const std::string& pooling : poolings) {
    const bool first_token =
        pooling.rfind("cls", 0) == 0 ||
        (pooling.size() > 4 && pooling.compare(pooling.size() - 4, 4, ":cls") == 0);
    const bool maximum = pooling.size() > 4 && pooling.compare(pooling.size() - 4, 4, ":max") == 0;
    result.push_back(expressible(pooling) ? pooling
                     : first_token        ? "cls"
                     : maximum            ? "max"
                                          : "mean");
  }
  return result;
}

Json write_pooling_config(const PoolingConfig& pooling) {
  const std::vector<std::string> names = nearest_expressible(pooling.poolings);
  Json config = Json::object();
  if (pooling.width > 0)
    config["word_embedding_dimension"] =
        pooling.width;  // 0 means that it is not stated; it cannot be read as a width
  // The old booleans only say which poolings are on. Another order, or the same pooling twice,
  // needs the new list.
  std::vector<const PoolingName*> rows;
  for (const std::string& name : names) rows.push_back(expressible(name));
  if (std::adjacent_find(rows.begin(), rows.end(), [](const PoolingName* a, const PoolingName* b) {
        return a >= b;
      }) == rows.end()) {
    for (const PoolingName* row = std::begin(kPoolings); row != std::end(kPoolings) - 1; ++row) {
      config[row->flag] = std::find(rows.begin(), rows.end(), row) != rows.end();
    }
  } else {
    config["pooling_mode"] = Json::array();
    for (const PoolingName* row : rows) config["pooling_mode"].push_back(row->mode);
  }
  config["include_prompt"] = pooling.include_prompt;
  return config;
}

}  // namespace contrastive::io
