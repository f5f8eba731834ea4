#include "core/torch/tasks/transfer/protocol.h"

#include <algorithm>
#include <optional>

#include "core/base/error.h"
#include "core/base/rng.h"
#include "core/eval/classification_metrics.h"
#include "core/torch/tensors/openmp.h"
#include "core/runtime/thread_pool.h"
#include "core/torch/tasks/transfer/k_fold.h"

namespace contrastive::eval {
namespace {

// Streams of one seed's draws: the outer folds, and for each test fold its inner folds and its
// hold-out.
Rng outer_draw(uint64_t seed) { return Rng(seed, Purpose::kSubset, 0); }
Rng inner_draw(uint64_t seed, int64_t test_fold) {
  return Rng(seed, Purpose::kSubset, 1, static_cast<uint64_t>(test_fold));
}
Rng stopping_draw(uint64_t seed, int64_t test_fold) {
  return Rng(seed, Purpose::kSubset, 2, static_cast<uint64_t>(test_fold));
}

// Fits are many and small: each runs on one thread, as do the operators of LibTorch that it calls.
void run_fits(int64_t count, const Cancel* cancel, const std::function<void(int64_t)>& fit) {
  runtime::parallel_for(count, [&](int64_t i) {
    tensors::compute_with_one_thread();
    throw_if_cancelled(cancel);
    fit(i);
  });
}

// A data set on which cross-validation chooses l2.
struct Search {
  ProbeData data;
  std::vector<int64_t> folds;  // of its rows
};
struct Choice {
  double l2 = 0;
  double accuracy = 0;
};

// The l2 with the best mean accuracy over the folds (the first of equals), for each search.
std::vector<Choice> choose_l2(const ProtocolOptions& options, const std::vector<Search>& searches,
                              uint64_t seed, const Cancel* cancel) {
  const auto grid = static_cast<int64_t>(options.l2.size()), folds = options.kfold;
  std::vector<double> accuracies(searches.size() *
                                 static_cast<size_t>(grid * folds));  // [searches][grid][folds]
  run_fits(static_cast<int64_t>(accuracies.size()), cancel, [&](int64_t i) {
    const Search& search = searches[i / (grid * folds)];
    const FoldSplit split = split_at(search.folds, i % folds);
    const ProbeData train = search.data.chosen(split.rest),
                    held_out = search.data.chosen(split.held_out);
    accuracies[i] =
        fit_classifier(options.fit, train, held_out, options.l2[i / folds % grid], seed, cancel)
            .score;
  });
  std::vector<Choice> choices;
  for (size_t s = 0; s < searches.size(); ++s) {
    std::optional<Choice> best;
    for (int64_t g = 0; g < grid; ++g) {
      const double* of_folds = &accuracies[(static_cast<int64_t>(s) * grid + g) * folds];
      double mean = 0;
      for (int64_t fold = 0; fold < folds; ++fold)
        mean += of_folds[fold] / static_cast<double>(folds);
      if (!best || mean > best->accuracy) best = Choice{options.l2[g], mean};
    }
    choices.push_back(*best);
  }
  return choices;
}

// The classifier that is tested, where no dev part is given.
std::vector<int64_t> predict_after_refit(const ProtocolOptions& options, const ProbeData& data,
                                         double l2, const ProbeData& test, int64_t test_fold,
                                         uint64_t seed, const Cancel* cancel) {
  const FoldSplit split =
      random_hold_out(data.size(), kStoppingShare, stopping_draw(seed, test_fold));
  return fit_classifier(options.fit, data.chosen(split.rest), data.chosen(split.held_out), l2, seed,
                        cancel)
      .probe.predict(test.rows);
}

}  // namespace

ProtocolResult nested_cross_validation(const ProtocolOptions& options, const ProbeData& data,
                                       uint64_t seed, const Cancel* cancel) {
  const std::vector<int64_t> outer = stratified_folds(data.labels, options.kfold, outer_draw(seed));
  std::vector<FoldSplit> splits;
  std::vector<Search> searches;
  for (int64_t fold = 0; fold < options.kfold; ++fold) {
    splits.push_back(split_at(outer, fold));
    ProbeData rest = data.chosen(splits.back().rest);
    std::vector<int64_t> inner =
        stratified_folds(rest.labels, options.kfold, inner_draw(seed, fold));
    searches.push_back({std::move(rest), std::move(inner)});
  }
  const std::vector<Choice> choices = choose_l2(options, searches, seed, cancel);

  ProtocolResult result;
  result.predicted.resize(data.rows.size());
  std::vector<double> tests(splits.size());
  run_fits(options.kfold, cancel, [&](int64_t fold) {
    const std::vector<int64_t>& held_out = splits[fold].held_out;
    const ProbeData test = data.chosen(held_out);
    const std::vector<int64_t> predicted =
        predict_after_refit(options, searches[fold].data, choices[fold].l2, test, fold, seed,
                            cancel);
    tests[fold] = accuracy(predicted, test.labels);
    for (size_t i = 0; i < held_out.size(); ++i) result.predicted[held_out[i]] = predicted[i];
  });
  for (int64_t fold = 0; fold < options.kfold; ++fold) {
    result.dev += choices[fold].accuracy / static_cast<double>(options.kfold);
    result.test += tests[fold] / static_cast<double>(options.kfold);
  }
  return result;
}

ProtocolResult cross_validation(const ProtocolOptions& options, const ProbeData& train,
                                const ProbeData& test, uint64_t seed, const Cancel* cancel) {
  const std::vector<Search> searches = {
      {train, stratified_folds(train.labels, options.kfold, inner_draw(seed, 0))}};
  const Choice choice = choose_l2(options, searches, seed, cancel)[0];
  ProtocolResult result;
  result.dev = choice.accuracy;
  result.predicted = predict_after_refit(options, train, choice.l2, test, 0, seed, cancel);
  result.test = accuracy(result.predicted, test.labels);
  return result;
}

ProtocolResult given_dev(const ProtocolOptions& options, const ProbeData& train,
                         const ProbeData& dev, const ProbeData& test, uint64_t seed,
                         const Cancel* cancel) {
  std::vector<std::optional<Fitted>> fits(options.l2.size());
  run_fits(static_cast<int64_t>(fits.size()), cancel, [&](int64_t i) {
    fits[i].emplace(fit_classifier(options.fit, train, dev, options.l2[i], seed, cancel));
  });
  // SentEval trains once more with the best l2. Here that would give this very classifier again,
  // because all draws follow from the seed.
  const auto best = std::max_element(fits.begin(), fits.end(), [](const auto& a, const auto& b) {
    return a->score < b->score;
  });
  ProtocolResult result;
  result.dev = (*best)->score;
  result.predicted = (*best)->probe.predict(test.rows);
  result.test = accuracy(result.predicted, test.labels);
  return result;
}

}  // namespace contrastive::eval
