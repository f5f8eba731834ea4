// The part of a trained model's card that describes its run (core/io/model_card.h). Every sentence
// depends only on state that a resumed run also has, so a resumed run writes the same bytes.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/data/dataset.h"
#include "core/io/model_card.h"
#include "core/model/model.h"
#include "core/torch/methods/method.h"
#include "core/torch/run/progress.h"
#include "core/torch/run/selection.h"
#include "core/torch/run/stage_position.h"
#include "core/torch/run/train_options.h"

namespace contrastive::run {

// The facts of a card about the examples of one task.
struct DataFacts {
  std::string file, sha256;         // "" without a file
  int64_t examples = 0, given = 0;  // of the run, and those from which they were drawn
  bool pairs = false, labels = false, negatives = false;
};
DataFacts facts_of(const data::Dataset* data, int64_t given);  // `data` may be null

// The run that a card is about.
struct CardSubject {
  const RunConfig& config;
  const RunPlan& plan;
  const StagePosition& stage;
  const std::vector<DataFacts>& facts;  // of each task
  const model::Model& start;
  const methods::Method& method;
  const Progress& progress;
  const Selection& selection;
};

// `best`: of the best weights, if there are any; else of the current ones.
io::ModelCard training_card(const CardSubject& run, bool best);

}  // namespace contrastive::run
