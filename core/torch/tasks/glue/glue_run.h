// One fine-tuning run on a GLUE task: a fresh classifier, seeded order, an evaluation after every
// epoch, and the figures of the chosen epoch.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/torch/tasks/glue/glue_figures.h"
#include "core/torch/tasks/glue/glue_options.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// The texts of a task as ids, shared by all its runs.
struct GlueTokens {
  text::TokenBatch train;
  std::vector<text::TokenBatch> select, test;
};
GlueTokens tokenise_glue(const model::SentenceEncoder& model, const GlueData& data,
                         int64_t max_length, const Cancel* cancel);

struct GlueCell {  // a cell of the grid
  double lr = 0;
  int64_t batch_size = 0;
};

struct GlueRun {
  int64_t seed = 0;
  int64_t steps = 0;    // number of updates
  int64_t epoch = 0;    // the epoch, from 1, whose weights gave the figures
  double loss = 0;      // mean over the last epoch's updates
  double select = 0;    // the selection score of that epoch; NaN if no epoch has one
  GlueFigures figures;  // on the reported part
};

// The same seed and cell give the same run. `start` is not changed. Logs a line for each epoch;
// `cancel` is polled between updates.
GlueRun run_glue(const model::SentenceEncoder& start, const GlueDefinition& definition,
                 const GlueData& data, const GlueTokens& tokens, const GlueOptions& options,
                 const GlueCell& cell, int64_t seed, const Cancel* cancel);

}  // namespace contrastive::eval
