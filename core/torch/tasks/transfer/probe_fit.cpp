#include "core/torch/tasks/transfer/probe_fit.h"

#include <numeric>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/eval/classification_metrics.h"
#include "core/torch/tasks/transfer/senteval_stopping.h"

namespace contrastive::eval {

void FitOptions::visit(OptionVisitor& v) {
  v.name("optimizer", optimizer, {"adam", "rmsprop"},
         OptionDoc("optimizer of the classifier").source("SentEval"));
  v.real("lr", lr, at_least(0),
         OptionDoc("learning rate; 0: PyTorch's default, 1e-3 for adam and 1e-2 for rmsprop")
             .source("SentEval"));
  v.integer("batch_size", batch_size, between(1, 1e6),
            OptionDoc("examples of one step").source("SentEval").unit("examples"));
  v.integer("epoch_size", epoch_size, between(1, 1e6),
            OptionDoc("passes over the training examples between two scores")
                .source("SentEval")
                .unit("passes"));
  v.integer("tenacity", tenacity, at_least(0),
            OptionDoc("number of rounds without a better score in the whole fit; the next such "
                      "round is the last")
                .source("SentEval")
                .unit("rounds"));
  v.integer(
      "max_epoch", max_epoch, at_least(0),
      OptionDoc("no round starts after more passes than this").source("SentEval").unit("passes"));
  v.integer("nhid", nhid, between(0, 1e6),
            OptionDoc("width of a hidden layer with sigmoid; 0: none, softmax regression")
                .source("SG-OPT: 50"));
  v.real("dropout", dropout, {0, 1, false, true},
         OptionDoc("dropout of the input of the hidden layer's sigmoid").source("SentEval"));
}

optim::OptimizerOptions FitOptions::optimizer_options(double l2) const { return {optimizer, l2}; }

double FitOptions::learning_rate() const {
  if (lr > 0) return lr;
  if (optimizer == "rmsprop") return 1e-2;
  check(optimizer == "adam", Status::kInternal, "a probe's optimizer has no learning rate");
  return 1e-3;
}

Fitted fit_probe(const FitOptions& options, const ProbeData& train, double l2,
                 const std::function<double(const Probe&)>& score, uint64_t seed,
                 const Cancel* cancel) {
  Probe probe({train.width, options.nhid, train.classes, options.dropout},
              options.optimizer_options(l2), options.learning_rate(), seed);
  SentEvalStopping stopping(options.tenacity);
  std::vector<float> best = probe.weights();
  std::vector<int64_t> order(train.rows.size());
  int64_t passes = 0;
  while (!stopping.stopped() && passes <= options.max_epoch) {
    throw_if_cancelled(cancel);
    for (int64_t i = 0; i < options.epoch_size; ++i, ++passes) {
      std::iota(order.begin(), order.end(), int64_t{0});
      Rng(seed, Purpose::kShuffle, static_cast<uint64_t>(passes)).shuffle(order);
      probe.train(train, order, options.batch_size);
    }
    if (stopping.better(score(probe))) best = probe.weights();
  }
  probe.set_weights(best);
  return {std::move(probe), stopping.best()};
}

Fitted fit_classifier(const FitOptions& options, const ProbeData& train, const ProbeData& dev,
                      double l2, uint64_t seed, const Cancel* cancel) {
  check(dev.size() > 0, Status::kArgument,
        "no example is held out to tell when the training of a classifier ends");
  return fit_probe(
      options, train, l2,
      [&](const Probe& probe) { return accuracy(probe.predict(dev.rows), dev.labels); }, seed,
      cancel);
}

}  // namespace contrastive::eval
