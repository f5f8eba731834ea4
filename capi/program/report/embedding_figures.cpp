// The section "Embeddings": the alignment-uniformity plane, human scores and cosines, a map of
// pairs, and a heat map of the cosines of some texts.
#include <algorithm>
#include <cmath>

#include "capi/program/report/sections.h"
#include "capi/program/report/text.h"
#include "capi/program/terminal.h"

namespace contrastive::cli::report {
namespace {

std::string title_of(const Contents& contents, const Run& run) {
  return contents.runs.size() > 1 ? run.record.letter + "  " + run.record.name : run.record.name;
}

double geometry(const Run& run, const char* key) {
  const Json& report = run.measured->geometry;
  if (!report.is_object() || !report.contains(key) || !report[key].is_number()) return std::nan("");
  return report[key].get<double>();
}

void write_plane(Document& document, const Contents& contents) {
  std::vector<PlanePath> points;
  std::vector<std::string> missing;
  std::string reason = "no pair has a score above 4, from which a pair counts as similar";
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    const Run& run = contents.runs[i];
    if (!run.measured) continue;
    const double x = geometry(run, "uniformity"), y = geometry(run, "alignment");
    if (std::isfinite(x) && std::isfinite(y)) {
      points.push_back(
          {{run.colour, contents.runs.size() > 1 ? run.record.letter : run.record.name, x, y}, {}});
      continue;
    }
    missing.push_back(run.record.letter);
    if (!run.measured->no_geometry.empty()) reason = run.measured->no_geometry;
  }
  if (!points.empty()) {
    document.figure(
        {"Alignment and uniformity",
         "Each model on " + contents.material.eval_data +
             ". Alignment is over the pairs that people scored highest, uniformity over "
             "all texts; the lower left is best (Wang and Isola, "
             "2020). Name the model that training began with as one more RUN to see how "
             "far it came.",
         description(points), data_of(points)});
  }
  if (missing.empty()) return;
  document.note((contents.runs.size() > 1 ? letters(missing) : "") +
                "not in the alignment-uniformity plane, because " + reason + ".");
}

void write_pair_scores(Document& document, const Contents& contents) {
  double lowest = 0;
  for (const Run& run : contents.runs) {
    if (!run.measured) continue;
    for (const double cosine : run.measured->cosines) lowest = std::min(lowest, cosine);
  }
  const Pairs& pairs = contents.material.pairs;
  const auto taken = static_cast<int64_t>(pairs.gold.size());
  const std::string sample =
      taken < pairs.in_file ? "1 in " + std::to_string(pairs.every) + " of the " : "of the ";
  for (size_t i = 0; i < contents.runs.size(); ++i) {
    const Run& run = contents.runs[i];
    if (!run.measured || run.measured->cosines.empty()) continue;
    const ScorePlot plot{run.record.name, run.colour, {pairs.gold, run.measured->cosines}, lowest};
    document.figure(
        {"Human score and cosine: " + title_of(contents, run),
         "One dot a pair, " + sample + counted(pairs.in_file, "pair") +
             ". The dark line is the mean cosine by score: the straighter it rises, and the closer "
             "the dots keep to it, the better the model "
             "ranks pairs as people do.",
         description(plot), data_of(plot)});
  }
}

void write_maps(Document& document, const Contents& contents) {
  for (const Run& run : contents.runs) {
    if (!run.measured) continue;
    const Measurement& measured = *run.measured;
    if (measured.map.empty()) {
      const std::string reason = measured.no_map.empty() ? "it has no points" : measured.no_map;
      document.note((contents.runs.size() > 1 ? run.record.letter + ": " : "") +
                    "no map of the embeddings, because " + reason + ".");
      continue;
    }
    const Pairs& pairs = contents.material.pairs;
    const PairMap map{run.record.name, measured.map, (pairs.lowest + pairs.highest) / 2};
    document.figure(
        {"Map of pairs: " + title_of(contents, run),
         "t-SNE of " + with_commas(static_cast<int64_t>(measured.map.size())) +
             " pairs: near points have near embeddings; the axes mean nothing. The two texts of a "
             "pair are joined. Blue: pairs scored " +
             compact(pairs.highest) + ", whose texts should be close. Orange: pairs scored " +
             compact(pairs.lowest) + ", whose texts should be far from each other.",
         description(map), data_of(map)});
  }
}

void write_heat_maps(Document& document, const Contents& contents) {
  if (contents.material.texts.empty()) {
    document.note(
        "No heat map: there are no texts. Give some with --texts, or pairs with --eval-data.");
    return;
  }
  const bool one = contents.runs.size() == 1;
  for (const Run& run : contents.runs) {
    if (!run.measured) continue;
    const HeatMap map{run.record.name, contents.material.texts, run.measured->texts};
    document.figure(
        {"Cosines of texts: " + title_of(contents, run),
         "How similar the model finds each two of " +
             counted(static_cast<int64_t>(map.texts.size()), "text") +
             ". Strong colour: similar; none: unrelated; the other hue: opposite. Strong "
             "colour everywhere is a collapsed model.",
         description(map), data_of(map), one});
  }
}

}  // namespace

void write_embeddings(Document& document, const Contents& contents) {
  if (std::none_of(contents.runs.begin(), contents.runs.end(),
                   [](const Run& run) { return run.measured.has_value(); }))
    return;
  document.section("Embeddings", "Measured with the saved models.");
  if (!contents.material.eval_data.empty()) {
    write_plane(document, contents);
    write_pair_scores(document, contents);
    write_maps(document, contents);
  }
  write_heat_maps(document, contents);
}

}  // namespace contrastive::cli::report
