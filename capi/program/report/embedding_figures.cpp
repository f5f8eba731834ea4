// What the models make of texts: the plane, scores against cosines, a map of pairs, and the cosines
// of some texts.
#include <algorithm>
#include <cmath>

#include "capi/program/report/heat_map.h"
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

void write_plane(Page& page, const Contents& contents) {
  std::vector<PlanePath> points;
  std::vector<std::string> missing;
  std::string reason = "no pair has a score above 4, from which a pair counts as alike";
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
    page.figure({"Alignment and uniformity",
                 "Each model on " + contents.material.eval_data +
                     ". Alignment is over the pairs that people scored highest, uniformity over "
                     "all texts; the lower left is best (Wang and Isola, "
                     "2020). Name the model that training began with as one more RUN to see how "
                     "far it came.",
                 draw_plane(points, kSquare), ""});
  }
  if (missing.empty()) return;
  page.note((contents.runs.size() > 1 ? letters(missing) : "") +
            "not in the alignment-uniformity plane, because " + reason + ".");
}

void write_pair_scores(Page& page, const Contents& contents) {
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
    page.figure(
        {"Human score and cosine: " + title_of(contents, run),
         "One dot a pair, " + sample + counted(pairs.in_file, "pair") +
             ". The dark line is the mean cosine by score: the straighter it rises, and the closer "
             "the dots keep to it, the better the model "
             "ranks pairs as people do.",
         draw_scores({run.record.name, run.colour, {pairs.gold, run.measured->cosines}, lowest},
                     kSquare),
         ""});
  }
}

void write_maps(Page& page, const Contents& contents) {
  for (const Run& run : contents.runs) {
    if (!run.measured) continue;
    const Measurement& measured = *run.measured;
    if (measured.map.empty()) {
      const std::string reason = measured.no_map.empty() ? "it has no points" : measured.no_map;
      page.note((contents.runs.size() > 1 ? run.record.letter + ": " : "") +
                "no map of the embeddings, because " + reason + ".");
      continue;
    }
    const Pairs& pairs = contents.material.pairs;
    page.figure(
        {"Map of pairs: " + title_of(contents, run),
         "t-SNE of " + with_commas(static_cast<int64_t>(measured.map.size())) +
             " pairs: near points have near embeddings; the axes mean nothing. The two texts of a "
             "pair are joined. Blue: pairs scored " +
             compact(pairs.highest) + ", whose texts should lie together. Orange: pairs scored " +
             compact(pairs.lowest) + ", whose texts should lie apart.",
         draw_map({run.record.name, measured.map, (pairs.lowest + pairs.highest) / 2}, kSquare),
         ""});
  }
}

void write_heat_maps(Page& page, const Contents& contents) {
  if (contents.material.texts.empty()) {
    page.note(
        "No heat map: there are no texts. Give some with --texts, or pairs with --eval-data.");
    return;
  }
  const bool one = contents.runs.size() == 1;
  for (const Run& run : contents.runs) {
    if (!run.measured) continue;
    const HeatMap map{run.record.name, contents.material.texts, run.measured->texts};
    page.figure({"Cosines of texts: " + title_of(contents, run),
                 "How alike the model finds each two of " +
                     counted(static_cast<int64_t>(map.texts.size()), "text") +
                     ". Strong colour: alike; none: unrelated; the other hue: opposite. Dark "
                     "everywhere is a collapsed model.",
                 draw(map, kHalf.width), one ? draw(map, kWide.width) : ""});
  }
}

}  // namespace

void write_embeddings(Page& page, const Contents& contents) {
  if (std::none_of(contents.runs.begin(), contents.runs.end(),
                   [](const Run& run) { return run.measured.has_value(); }))
    return;
  page.section("Embeddings", "What the models, as they were saved, make of texts.");
  page.begin_figures();
  if (!contents.material.eval_data.empty()) {
    write_plane(page, contents);
    write_pair_scores(page, contents);
    write_maps(page, contents);
  }
  write_heat_maps(page, contents);
  page.end_figures();
}

}  // namespace contrastive::cli::report
