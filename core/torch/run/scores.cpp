#include "core/torch/run/scores.h"

#include <cmath>
#include <utility>

#include "core/base/error.h"

namespace contrastive::run {
namespace {

constexpr double kMostOfAFigure = 1e9;  // of a figure that a card has room for

}  // namespace

void Scores::add(int64_t step, Score score) {
  if (step != step_) scores_.clear();
  step_ = step;
  if (!(std::abs(score.value) <= kMostOfAFigure)) return;
  for (Score& known : scores_) {
    if (known.figure == score.figure) {
      known = std::move(score);
      return;
    }
  }
  scores_.push_back(std::move(score));
}

Json Scores::state() const {
  Json rows = Json::array();
  for (const Score& score : scores_) {
    rows.push_back({{"figure", score.figure},
                    {"measure", score.measure},
                    {"data", score.data},
                    {"value", score.value}});
  }
  return {{"step", step_}, {"scores", rows}};
}

void Scores::restore(const Json& state) {
  const JsonObject fields(state, "training state: scores");
  step_ = fields.integer("step", -1, int64_t{1} << 53);
  scores_.clear();
  for (const Json& row : fields.at("scores")) {
    const JsonObject score(row, fields.source());
    scores_.push_back({score.string("figure"), score.string("measure"), score.string("data"),
                       score.real("value", -kMostOfAFigure, kMostOfAFigure)});
  }
}

}  // namespace contrastive::run
