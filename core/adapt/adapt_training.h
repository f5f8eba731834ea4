// The training of an adaptation: a run that is saved every so often, goes on where it was stopped,
// and ends with its best weights.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/cancel.h"
#include "core/base/config.h"
#include "core/base/json.h"
#include "core/data/dataset.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::adapt {

struct TrainingPlaces {
  std::string state;   // folder of the run as it stands
  std::string start;   // file of the dev figure before the first update
  std::string course;  // file of a JSON line for each update
  std::string best;    // folder that gets the best weights
};

// Trains `model` on `data`, from places.state where that is there, and writes places.best. Returns
// {"steps", "total_steps", "best_step", "best_dev", "start_dev", "course": [{"step", "loss",
// "dev"}], "config"}. Cancelled, the run is saved first; where it fails, it goes on from its last
// save.
Json run_training(std::shared_ptr<model::SentenceEncoder> model,
                  std::shared_ptr<const data::Dataset> data, Config config,
                  const std::string& dev_figure, const TrainingPlaces& places, int64_t save_every,
                  const Cancel* cancel);

}  // namespace contrastive::adapt
