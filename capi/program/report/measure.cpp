#include "capi/program/report/measure.h"

#include <algorithm>
#include <charconv>
#include <map>

#include "capi/program/embed.h"
#include "capi/program/failure.h"
#include "capi/program/files.h"
#include "capi/program/rows.h"
#include "capi/program/signals.h"

namespace contrastive::cli::report {
namespace {

constexpr int64_t kMostMapPairs = 30;  // of the highest and of the lowest score

using TaskKeys = std::vector<std::pair<const char*, std::string>>;

Json evaluate(const Model& model, const char* task, const TaskKeys& keys) {
  Settings settings("", {});
  settings.use_topic(task);
  for (const auto& [key, value] : keys) settings.set_flag(key, value);
  Outcome outcome;
  const String text(
      cs_evaluate(model.get(), task, settings.config(task, true).get(), cancel_flag(), outcome));
  outcome.check();
  return Json::parse(text.get());
}

// For a figure that can be left out. `reason` is set if it fails. An interrupt still ends the
// report.
Json evaluate_if_possible(const Model& model, const char* task, const TaskKeys& keys,
                          std::string& reason) {
  try {
    return evaluate(model, task, keys);
  } catch (const Failure& failure) {
    if (stop_requested()) throw;
    reason = failure.message;
    return {};
  }
}

std::vector<float> cosines_of(const std::vector<std::string>& texts, const Embedder& embedder) {
  TextBlock block;
  for (const std::string& text : texts) block.add(text);
  const std::vector<float> embeddings = embedder.embed(block);
  const auto n = static_cast<int64_t>(texts.size());
  std::vector<float> cosines(texts.size() * texts.size());
  Outcome outcome;
  cs_similarity(embeddings.data(), n, embeddings.data(), n, embedder.dimension(), CS_METRIC_COSINE,
                cosines.data(), n * n, outcome);
  outcome.check();
  return cosines;
}

// {"points": [{"pair", "side", "gold", "x", "y"}, ...]}: joins the two sides of each pair.
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

TaskKeys map_keys(const Material& material) {
  const Pairs& pairs = material.pairs;
  const int64_t taken = std::min(kMostMapPairs, pairs.extreme),
                points = 4 * taken;  // two texts of each pair of either score
  constexpr double kUsualPerplexity = 30;
  return {{"data", material.eval_data},
          {"high", Json(pairs.highest).dump()},
          {"low", Json(pairs.lowest).dump()},
          {"pairs", std::to_string(taken)},
          {"perplexity",
           Json(std::min(kUsualPerplexity, static_cast<double>(points - 1) / 3)).dump()}};
}

double number_of(const std::string& text, const std::string& file, int64_t line) {
  double number = 0;
  const char* const end = text.data() + text.size();
  if (std::from_chars(text.data(), end, number).ptr == end && !text.empty()) return number;
  throw Failure(kExitData, "FORMAT", "'" + text + "' is not a number").at(file, line);
}

// Reads what the task "sts" writes for its key "output": set, subset, score, similarity, text,
// text.
void read_scored_pairs(const std::string& file, Pairs& pairs, std::vector<double>& cosines) {
  RowOptions options;
  options.format = "tsv";
  options.columns = {"2", "3", "4", "5"};
  RowReader reader(file, options);
  std::vector<std::string> row;
  while (reader.next(row)) {
    pairs.gold.push_back(number_of(row[0], file, reader.line()));
    cosines.push_back(number_of(row[1], file, reader.line()));
    pairs.first.push_back(std::move(row[2]));
    pairs.second.push_back(std::move(row[3]));
  }
}

template <class Item>
void keep_every(std::vector<Item>& items, size_t every) {
  size_t kept = 0;
  for (size_t i = 0; i < items.size(); i += every) std::swap(items[kept++], items[i]);
  items.resize(kept);
}

// Keeps at most `most` pairs, evenly spaced.
void sample(Pairs& pairs, std::vector<double>& cosines, size_t most) {
  const size_t count = pairs.gold.size(), every = std::max<size_t>(1, (count + most - 1) / most);
  pairs.in_file = static_cast<int64_t>(count);
  pairs.every = static_cast<int64_t>(every);
  pairs.lowest = *std::min_element(pairs.gold.begin(), pairs.gold.end());
  pairs.highest = *std::max_element(pairs.gold.begin(), pairs.gold.end());
  pairs.extreme = std::min(std::count(pairs.gold.begin(), pairs.gold.end(), pairs.lowest),
                           std::count(pairs.gold.begin(), pairs.gold.end(), pairs.highest));
  keep_every(pairs.gold, every);
  keep_every(pairs.first, every);
  keep_every(pairs.second, every);
  keep_every(cosines, every);
}

// Distinct texts of the first pairs.
std::vector<std::string> first_texts(const Pairs& pairs, size_t most) {
  std::vector<std::string> texts;
  for (size_t i = 0; i < pairs.first.size(); ++i) {
    for (const std::string& text : {pairs.first[i], pairs.second[i]}) {
      if (texts.size() < most && std::find(texts.begin(), texts.end(), text) == texts.end())
        texts.push_back(text);
    }
  }
  return texts;
}

// Takes the pairs from the library's own output, so that the figures show what was scored. Each
// model gives its own cosines for the same pairs.
void measure_scores(const Model& model, Material& material, Measurement& measured) {
  const std::unique_ptr<ScratchFolder> folder = make_scratch_folder(
      "contrastive-report");  // where the library writes what is read here at once
  const std::string file = folder->path() + "/pairs.tsv";
  measured.sts = evaluate(model, "sts", {{"data", material.eval_data}, {"output", file}});
  Pairs pairs;
  read_scored_pairs(file, pairs, measured.cosines);
  sample(pairs, measured.cosines, material.most_pairs);
  if (!material.pairs.gold.empty()) return;
  material.pairs = std::move(pairs);
  if (material.texts.empty()) material.texts = first_texts(material.pairs, material.most_texts);
}

}  // namespace

Measurement measure(const std::string& path, ModelArguments arguments, Material& material) {
  arguments.model = path;
  const Model model = load_model(arguments);
  const EmbedArguments embed;
  const Embedder embedder(model.get(), embed);
  Measurement measured;
  if (!material.eval_data.empty()) {
    const TaskKeys data = {{"data", material.eval_data}};
    measure_scores(model, material, measured);
    measured.geometry = evaluate_if_possible(model, "geometry", data, measured.no_geometry);
    const Json map = evaluate_if_possible(model, "tsne", map_keys(material), measured.no_map);
    if (map.is_object()) measured.map = pairs_of_map(map);
  }
  if (!material.texts.empty()) measured.texts = cosines_of(material.texts, embedder);
  return measured;
}

}  // namespace contrastive::cli::report
