#include "capi/cli/report/measure.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>

#include "capi/cli/embed.h"
#include "capi/cli/failure.h"
#include "capi/cli/rows.h"
#include "capi/cli/signals.h"

namespace contrastive::cli::report {
namespace {

constexpr int64_t kMostMapPairs = 30;  // of the highest and of the lowest score

std::vector<std::string> files_of(const std::string& path) {
  if (!std::filesystem::is_directory(path)) return {path};
  std::vector<std::string> files;
  for (const auto& entry : std::filesystem::directory_iterator(path)) {
    if (entry.path().extension() == ".tsv") files.push_back(entry.path().string());
  }
  std::sort(files.begin(), files.end());
  return files;
}

using Keys = std::vector<std::pair<const char*, std::string>>;

Json evaluate(const Model& model, const char* task, const Keys& keys) {
  Settings settings("", {});
  settings.use_topic(task);
  for (const auto& [key, value] : keys) settings.set_flag(key, value);
  Outcome outcome;
  const String text(cs_evaluate(model.get(), task, settings.config(task, true).get(), cancel_flag(), outcome));
  outcome.check();
  return Json::parse(text.get());
}

// For a figure that can be left out: only the reason is kept, unless somebody wants to stop.
Json evaluate_if_possible(const Model& model, const char* task, const Keys& keys, std::string& reason) {
  try {
    return evaluate(model, task, keys);
  } catch (const Failure& failure) {
    if (stop_requested()) throw;
    reason = failure.message;
    return {};
  }
}

std::vector<double> cosines_of(const Pairs& pairs, const Embedder& embedder) {
  TextBlock block;
  for (size_t i = 0; i < pairs.first.size(); ++i) {
    block.add(pairs.first[i]);
    block.add(pairs.second[i]);
  }
  const std::vector<float> embeddings = embedder.embed(block);
  const auto d = static_cast<size_t>(embedder.dimension());
  std::vector<double> cosines;
  for (size_t i = 0; i < pairs.first.size(); ++i) {
    float score = 0;
    Outcome outcome;
    cs_similarity(&embeddings[2 * i * d], 1, &embeddings[(2 * i + 1) * d], 1, embedder.dimension(), CS_METRIC_COSINE, &score, 1, outcome);
    outcome.check();
    cosines.push_back(score);
  }
  return cosines;
}

std::vector<float> cosines_of(const std::vector<std::string>& texts, const Embedder& embedder) {
  TextBlock block;
  for (const std::string& text : texts) block.add(text);
  const std::vector<float> embeddings = embedder.embed(block);
  const auto n = static_cast<int64_t>(texts.size());
  std::vector<float> cosines(texts.size() * texts.size());
  Outcome outcome;
  cs_similarity(embeddings.data(), n, embeddings.data(), n, embedder.dimension(), CS_METRIC_COSINE, cosines.data(), n * n, outcome);
  outcome.check();
  return cosines;
}

// {"points": [{"pair", "side", "gold", "x", "y"}, ...]}: the two sides of a pair put together.
std::vector<MapPair> pairs_of_map(const Json& report) {
  std::map<int64_t, MapPair> found;
  std::map<int64_t, int> sides;
  for (const Json& point : report.at("points")) {
    if (!point.at("x").is_number() || !point.at("y").is_number()) continue;
    const auto pair = point.at("pair").get<int64_t>();
    const int side = point.at("side") == "b" ? 1 : 0;
    found[pair].x[side] = point.at("x").get<double>();
    found[pair].y[side] = point.at("y").get<double>();
    found[pair].gold = point.at("gold").get<double>();
    sides[pair] |= 1 << side;
  }
  std::vector<MapPair> pairs;
  for (const auto& [number, pair] : found) {
    if (sides[number] == 3) pairs.push_back(pair);
  }
  return pairs;
}

Keys map_keys(const Material& material) {
  const Pairs& pairs = material.pairs;
  return {{"data", material.eval_data}, {"high", Json(pairs.highest).dump()}, {"low", Json(pairs.lowest).dump()},
          {"pairs", std::to_string(std::min(kMostMapPairs, pairs.extreme))}};
}

Pairs read_all_pairs(const std::string& path) {
  Pairs all;
  RowOptions options;
  options.format = "tsv";
  options.columns = {"1", "2", "3"};
  for (const std::string& file : files_of(path)) {
    RowReader reader(file, options);
    std::vector<std::string> row;
    while (reader.next(row)) {
      double gold = 0;
      const char* const end = row[0].data() + row[0].size();
      if (std::from_chars(row[0].data(), end, gold).ptr != end || row[0].empty() || !std::isfinite(gold)) continue;  // sts says what is wrong with it
      all.gold.push_back(gold);
      all.first.push_back(row[1]);
      all.second.push_back(row[2]);
    }
  }
  return all;
}

}  // namespace

Pairs read_pairs(const std::string& path, size_t most) {
  Pairs all;
  try {
    all = read_all_pairs(path);
  } catch (const Failure& failure) {
    if (failure.exit_code != kExitData || stop_requested()) throw;  // sts says what is wrong with it, or knows it as a published data set
  }
  Pairs taken;
  taken.in_file = static_cast<int64_t>(all.gold.size());
  const size_t every = std::max<size_t>(1, (all.gold.size() + most - 1) / std::max<size_t>(most, 1));
  taken.every = static_cast<int64_t>(every);
  if (!all.gold.empty()) {
    taken.lowest = *std::min_element(all.gold.begin(), all.gold.end());
    taken.highest = *std::max_element(all.gold.begin(), all.gold.end());
    taken.extreme = std::min(std::count(all.gold.begin(), all.gold.end(), taken.lowest), std::count(all.gold.begin(), all.gold.end(), taken.highest));
  }
  for (size_t i = 0; i < all.gold.size(); i += every) {
    taken.gold.push_back(all.gold[i]);
    taken.first.push_back(std::move(all.first[i]));
    taken.second.push_back(std::move(all.second[i]));
  }
  return taken;
}

Measurement measure(const std::string& path, ModelArguments arguments, const Material& material) {
  arguments.model = path;
  const Model model = load_model(arguments);
  const EmbedArguments embed;
  const Embedder embedder(model.get(), embed);
  Measurement measured;
  if (!material.eval_data.empty()) {
    const Keys data = {{"data", material.eval_data}};
    measured.sts = evaluate(model, "sts", data);
    measured.geometry = evaluate_if_possible(model, "geometry", data, measured.no_geometry);
    measured.cosines = cosines_of(material.pairs, embedder);
    if (material.pairs.gold.empty()) {
      measured.no_map = "its data is no TSV of score, text, text";
    } else {
      const Json map = evaluate_if_possible(model, "tsne", map_keys(material), measured.no_map);
      if (map.is_object()) measured.map = pairs_of_map(map);
    }
  }
  if (!material.texts.empty()) measured.texts = cosines_of(material.texts, embedder);
  return measured;
}

}  // namespace contrastive::cli::report
