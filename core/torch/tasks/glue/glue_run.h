// One fine-tuning run on a GLUE task: a fresh classifier, seeded order, an evaluation after every
// epoch, and the figures of the epoch that counts.
#pragma once

#include <cstdint>
#include <vector>

#include "core/base/cancel.h"
#include "core/torch/tasks/glue/glue_figures.h"
#include "core/torch/tasks/glue/glue_options.h"
#include "core/model/sentence_encoder.h"

namespace contrastive::eval {

// The texts of a task as ids, which all its runs share.
struct GlueTokens {
  text::TokenBatch train;
  std::vector<text::TokenBatch> select, test;
};
GlueTokens tokenise_glue(const model::SentenceEncoder& model, const GlueData& data,
                         int64_t max_length, const Cancel* cancel);

struct GlueCell {  // of the grid
  double lr = 0;
  int64_t batch_size = 0;
};

struct GlueRun {
  int64_t seed = 0;
  int64_t steps = 0;    // updates that were made
  int64_t epoch = 0;    // whose weights the figures are of, from 1
  double loss = 0;      // mean over the last epoch's updates
  double select = 0;    // the score that chose it; NaN where none is defined
  GlueFigures figures;  // on what is reported
};

// The same seed and cell give the same run. `start` is left as it is. A log line an epoch; `cancel`
// is looked at between updates.
GlueRun run_glue(const model::SentenceEncoder& start, const GlueDefinition& definition,
                 const GlueData& data, const GlueTokens& tokens, const GlueOptions& options,
                 const GlueCell& cell, int64_t seed, const Cancel* cancel);

}  // namespace contrastive::eval
