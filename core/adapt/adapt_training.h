// The training of an adaptation: a run that is saved at intervals, resumes where it was stopped,
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
  std::string state;   // folder of the saved run
  std::string start;   // file with the dev figure before the first update
  std::string course;  // file with a JSON line for each update
  std::string best;    // folder for the best weights
};

// Trains `model` on `data`, resuming from places.state if it exists, and writes places.best.
// Returns {"steps", "total_steps", "best_step", "best_dev", "start_dev", "course": [{"step",
// "loss", "dev"}], "config"}. On cancellation the run is saved first; after a failure it resumes
// from its last save.
Json run_training(std::shared_ptr<model::SentenceEncoder> model,
                  std::shared_ptr<const data::Dataset> data, Config config,
                  const std::string& dev_figure, const TrainingPlaces& places, int64_t save_every,
                  const Cancel* cancel);

}  // namespace contrastive::adapt
