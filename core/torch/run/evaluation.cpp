#include "core/torch/run/evaluation.h"

#include <algorithm>
#include <limits>

#include "core/base/affixes.h"
#include "core/base/error.h"
#include "core/base/log.h"
#include "core/io/card_text.h"
#include "core/torch/run/cut_encoder.h"

namespace contrastive::run {

std::string dev_figure(int64_t dimension) { return cat(TrainOptions::kDevFile, ".", dimension); }

bool is_dev_figure(const std::string& figure) {
  return figure == TrainOptions::kDevFile || begins_with(figure, cat(TrainOptions::kDevFile, "."));
}

std::vector<int64_t> cut_dimensions(const RunConfig& config, methods::Method& method) {
  std::vector<int64_t> cuts = methods::trained_dimensions(config.user);
  if (cuts.empty()) return cuts;
  const int64_t whole = methods::encoder_method(method)->dimension();
  cuts.erase(std::remove(cuts.begin(), cuts.end(), whole), cuts.end());
  return cuts;
}

Figures Evaluation::run(methods::Method& method, bool dev, bool tasks, int64_t step,
                        const Cancel* cancel) const {
  Figures figures;
  if (tasks) figures = tasks_.run(*methods::encoder_method(method)->deliver(), cancel);
  if (dev) add_dev_figures(figures, method, step, cancel);
  return figures;
}

void Evaluation::add_dev_figures(Figures& figures, methods::Method& method, int64_t step,
                                 const Cancel* cancel) const {
  if (auto* reranker = methods::reranker_method(method)) {
    const auto score = [&](const std::vector<model::TextPair>& pairs, float* logits) {
      reranker->score(pairs, logits, cancel);
    };
    const PairScorer scorer{reranker->labels(), score};
    figures.emplace_back(TrainOptions::kDevFile, dev_score(scorer, step, cancel));
    return;
  }
  methods::EncoderMethod* trained = methods::encoder_method(method);
  const auto embed = [&](const std::vector<std::string_view>& texts, float* vectors) {
    trained->embed(texts, vectors, cancel);
  };
  const eval::TextEncoder encoder{trained->dimension(), embed};
  const std::vector<int64_t> cuts = cut_dimensions(config_, method);
  if (cuts.empty()) {
    figures.emplace_back(TrainOptions::kDevFile, dev_score(encoder, step, cancel));
    return;
  }
  CutEncoder remembered(encoder);
  figures.emplace_back(TrainOptions::kDevFile,
                       dev_score(remembered.at(encoder.dimension), step, cancel));
  for (const int64_t cut : cuts)
    figures.emplace_back(dev_figure(cut), dev_score(remembered.at(cut), step, cancel));
}

// Diverged weights cannot embed. Then there is no score, as if all similarities were equal.
double Evaluation::dev_score(const DevSubject& subject, int64_t step, const Cancel* cancel) const {
  try {
    return dev_->score(subject, cancel);
  } catch (const Error& error) {
    if (error.status() != Status::kNumeric) throw;
    log_warning("update ", step, ": the dev file cannot be scored: ", error.what());
    return std::numeric_limits<double>::quiet_NaN();
  }
}

// "sts.spearman.all" is "spearman.all" of the task "sts", on the file of its key "data".
Score Evaluation::score(const std::string& figure, double value) const {
  if (is_dev_figure(figure))
    return {figure, dev_->measure(), io::card_file(config_.options.dev), value};
  const size_t dot = figure.find('.');
  const Json* file = config_.user.find(TaskEvaluations::kPrefix + figure.substr(0, dot) + ".data");
  return {figure, figure.substr(dot + 1),
          file != nullptr && file->is_string() ? io::card_file(file->get<std::string>()) : "",
          value};
}

}  // namespace contrastive::run
