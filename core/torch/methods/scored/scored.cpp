#include "core/torch/methods/scored/scored.h"

#include <ATen/ops/empty.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/base/error.h"
#include "core/base/idle_keys.h"
#include "core/base/log.h"
#include "core/torch/objectives/pair_scores.h"

namespace contrastive::methods {
namespace {

class Scored : public PairMethod {
 public:
  Scored(const MethodContext& context, const ScoredOptions& options)
      : PairMethod(context, options.encoder, options.prompts, false), options_(options) {}

  // A bad score is met before the first update, not in the middle of an epoch.
  void prepare(const data::Dataset* data, const Cancel* cancel) override {
    double least = std::numeric_limits<double>::infinity(), most = -least;
    for (int64_t i = 0; data != nullptr && i < data->size(); ++i) {
      if (i % 1024 == 0) throw_if_cancelled(cancel);
      const double score = score_of(data->get(i), [&] { return data->where(i); });
      least = std::min(least, score);
      most = std::max(most, score);
    }
    if (options_.loss == ScoreLoss::kMse || least != most || data->size() < 2) return;
    log_warning(
        "all ", data->size(), " pairs have the score ", least,
        ": the loss only asks which of two pairs has the higher score, so loss and ",
        "gradient are 0 and nothing is learnt (scored.loss = mse compares scores with cosines)");
  }

  LossTerms compare(const Views& views, const data::Batch& batch) override {
    const at::Tensor scores = at::empty({batch.size()}, at::kDouble);
    for (int64_t i = 0; i < batch.size(); ++i) {
      const auto where = [&] { return cat("example ", random_example(batch, i)); };
      scores.mutable_data_ptr<double>()[i] =
          score_of(batch.examples[static_cast<size_t>(i)], where);
    }
    const at::Tensor &a = views["anchor"], &b = views["positive"];
    LossTerms terms;
    switch (options_.loss) {
      case ScoreLoss::kCosent:
        terms.values.emplace_back("cosent", objectives::cosent_loss(objectives::pair_cosines(a, b),
                                                                    scores, options_.scale));
        break;
      case ScoreLoss::kAngle:
        terms.values.emplace_back("angle", objectives::cosent_loss(objectives::pair_angles(a, b),
                                                                   scores, options_.scale));
        break;
      case ScoreLoss::kMse:
        terms.values.emplace_back("mse",
                                  objectives::score_squared_error(objectives::pair_cosines(a, b),
                                                                  scores));
        break;
    }
    return terms;
  }

 private:
  // `where` says which example it is, where its score will not do.
  template <class Where>
  double score_of(const data::Example& example, const Where& where) const {
    const double score = example.label;
    if (std::isnan(score))
      fail(Status::kArgument, where(), ": no score, which method 'scored' needs of every pair");
    if (std::isinf(score))
      fail(Status::kArgument, where(), ": the score is ", score,
           ", which cannot be compared with others");
    if (options_.loss != ScoreLoss::kMse) return score;
    const double cosine = score / options_.max_score;
    if (!(cosine >= -1 && cosine <= 1)) {
      fail(
          Status::kArgument, where(), ": the score is ", score,
          ", but scored.loss = mse compares scores with cosines, which are between -",
          options_.max_score, " and ", options_.max_score,
          " here: set scored.max_score to the largest score of the data, or scored.loss to cosent");
    }
    return cosine;
  }

  ScoredOptions options_;
};

}  // namespace

void ScoredOptions::visit(OptionVisitor& v) {
  v.choice("loss", loss,
           {{"cosent", ScoreLoss::kCosent}, {"angle", ScoreLoss::kAngle}, {"mse", ScoreLoss::kMse}},
           OptionDoc("what the loss requires: cosent = a pair with a higher score has a higher "
                     "cosine; angle = the same for AnglE's similarity, whose gradient does not "
                     "vanish near cosine 1; mse = the cosine equals the score (squared error)")
               .source("CoSENTLoss, AnglELoss, CosineSimilarityLoss of sentence-transformers"));
  v.real("scale", scale, above(0, 1e4),
         OptionDoc("multiplies every similarity (1 / temperature); for cosent and angle")
             .source("sentence-transformers: 20"));
  v.real("max_score", max_score, above(0, 1e9),
         "the score that corresponds to cosine 1, such as 5 for STS: scores are divided by it; for "
         "mse");
  prompts.visit(v);
  encoder.visit(v);
}

void ScoredOptions::validate(const Config& config) const {
  encoder.validate(config);
  const bool mse = loss == ScoreLoss::kMse;
  reject_idle_keys(
      config, kPrefix,
      {{mse, "it goes with scored.loss = cosent or angle only", {"scale"}},
       {!mse,
        "it goes with scored.loss = mse only: the others use only the order of the scores",
        {"max_score"}}});
}

MethodTraits describe_scored(const Config& config) {
  MethodTraits traits = describe<ScoredOptions>(config);
  traits.needs_labels = true;
  traits.sentence_vectors = kRankedVectors;
  // Cosines are compared with those of other pairs: one pair alone teaches nothing.
  traits.in_batch_negatives =
      read_options<ScoredOptions>(config, ScoredOptions::kPrefix).loss != ScoreLoss::kMse;
  return traits;
}

std::unique_ptr<Method> make_scored(const MethodContext& context) {
  return std::make_unique<Scored>(context, read_options<ScoredOptions>(context.config,
                                                                       ScoredOptions::kPrefix));
}

constexpr Paper kScoredPaper = {"CoSENT", "loss:CoSENTLoss", R"(@online{su2022cosent,
  title = {CoSENT: A more efficient sentence vector scheme than Sentence-BERT},
  author = {Su, Jianlin},
  year = {2022},
  month = {Jan},
  url = {https://kexue.fm/archives/8847},
}
)"};

MethodEntry scored_method() {
  return {"scored", make_scored, describe_scored,
          "the whole encoder on pairs with scores (CoSENT, AnglE, squared error of the cosine)",
          kScoredPaper};
}

}  // namespace contrastive::methods
