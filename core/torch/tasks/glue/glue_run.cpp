#include "core/torch/tasks/glue/glue_run.h"

#include <cmath>
#include <limits>
#include <utility>

#include "core/base/error.h"
#include "core/base/log.h"
#include "core/data/batcher.h"
#include "core/torch/tasks/glue/fine_tuner.h"
#include "core/torch/tasks/glue/glue_tokens.h"

namespace contrastive::eval {
namespace {

GlueFigures measure(const SequenceClassifier& classifier, const GlueDefinition& definition,
                    const std::vector<GlueSet>& sets, const std::vector<text::TokenBatch>& tokens,
                    MnliScore mnli, const Cancel* cancel) {
  std::vector<at::Tensor> outputs;
  for (const text::TokenBatch& batch : tokens) outputs.push_back(classifier.predict(batch, cancel));
  GlueFigures figures = glue_figures(definition, sets, outputs, mnli);
  if (!figures.defined) {
    log_warning(sets.front().path, ": the score of ", definition.name,
                " is not defined (are all predictions the same?), and so worse than any other");
  }
  return figures;
}

// An undefined score (all predictions equal) is worse than any other.
double rank(double score) {
  return std::isnan(score) ? -std::numeric_limits<double>::infinity() : score;
}

}  // namespace

GlueTokens tokenise_glue(const model::SentenceEncoder& model, const GlueData& data,
                         int64_t max_length, const Cancel* cancel) {
  const int64_t most = model.shape().max_tokens();
  check(max_length <= most, Status::kArgument, "config key 'max_length' is ", max_length,
        ", above the model's ", most, " tokens");
  const int64_t length = max_length > 0 ? max_length : model.max_length();
  GlueTokens tokens;
  tokens.train = tokenise_glue(model.tokenizer(), data.train, length, cancel);
  for (const GlueSet& set : data.select)
    tokens.select.push_back(tokenise_glue(model.tokenizer(), set, length, cancel));
  for (const GlueSet& set : data.test)
    tokens.test.push_back(tokenise_glue(model.tokenizer(), set, length, cancel));
  return tokens;
}

GlueRun run_glue(const model::SentenceEncoder& start, const GlueDefinition& definition,
                 const GlueData& data, const GlueTokens& tokens, const GlueOptions& options,
                 const GlueCell& cell, int64_t seed, const Cancel* cancel) {
  SequenceClassifier classifier(start, definition.outputs(), options.tuning.classifier,
                                static_cast<uint64_t>(seed));
  const GluePlan plan = plan_glue_run(options, data.train.size(), cell.batch_size);
  FineTuner tuner(classifier, definition.regression(), options.tuning, cell.lr, plan.warmup,
                  plan.total);
  data::BatcherOptions order;
  order.examples = data.train.size();
  order.batch_size = cell.batch_size;
  order.seed = static_cast<uint64_t>(seed);
  data::Batcher batcher(order);

  GlueRun run;
  run.seed = seed;
  run.select = -std::numeric_limits<double>::infinity();
  double loss = 0;
  int64_t losses = 0;
  // The reported set is measured whenever an epoch is the best so far, so no weights need to be
  // kept.
  const auto evaluate = [&](bool last) {
    run.loss = loss / static_cast<double>(losses);
    if (options.keep == GlueKeep::kLast && !last) {
      log_info(definition.name, " seed ", seed, " epoch ", batcher.epoch() + 1, ": loss ",
               run.loss);
      return;
    }
    const GlueFigures selected =
        measure(classifier, definition, data.select, tokens.select, options.mnli, cancel);
    const bool better = run.epoch == 0 || rank(selected.select()) > rank(run.select);
    log_info(definition.name, " seed ", seed, " epoch ", batcher.epoch() + 1, ": loss ", run.loss,
             ", dev ", selected.score, better ? ", the best so far" : "");
    if (!better) return;
    run.epoch = batcher.epoch() + 1;
    run.select = selected.select();
    run.figures =
        data.same() ? selected
                    : measure(classifier, definition, data.test, tokens.test, options.mnli, cancel);
  };

  while (run.steps < plan.steps) {
    throw_if_cancelled(cancel);
    const std::vector<int64_t> rows = batcher.next();
    std::vector<double> targets;
    for (const int64_t row : rows) targets.push_back(data.train.targets[static_cast<size_t>(row)]);
    loss += tuner.update(pick_texts(tokens.train, rows), targets, {rows.begin(), rows.end()},
                         static_cast<uint64_t>(batcher.epoch()));
    ++losses;
    ++run.steps;
    const bool last = run.steps == plan.steps;
    if (!last && batcher.position() < batcher.batches_per_epoch()) continue;
    evaluate(last);
    loss = 0;
    losses = 0;
  }
  return run;
}

}  // namespace contrastive::eval
