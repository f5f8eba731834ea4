#include "core/torch/tasks/transfer/k_fold.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/base/error.h"

namespace contrastive::eval {

std::vector<int64_t> stratified_folds(const std::vector<int64_t>& labels, int64_t folds, Rng rng) {
  check(folds >= 2, Status::kArgument, "kfold is ", folds, ": at least 2 folds are needed");
  // Classes in the order of their first example, as scikit-learn numbers them: the order decides
  // which folds get the remainders.
  std::unordered_map<int64_t, size_t> numbers;
  std::vector<std::vector<size_t>> members;
  for (size_t i = 0; i < labels.size(); ++i) {
    const auto [it, fresh] = numbers.emplace(labels[i], members.size());
    if (fresh) members.emplace_back();
    members[it->second].push_back(i);
  }
  size_t largest = 0;
  for (const auto& of_class : members) largest = std::max(largest, of_class.size());
  check(largest >= static_cast<size_t>(folds), Status::kArgument, "kfold is ", folds,
        ", but no class has more than ", largest, " examples");
  // Examples are dealt out class by class without a restart: a class begins where the previous one
  // stopped, which keeps the folds even.
  std::vector<int64_t> result(labels.size());
  int64_t next = 0;
  for (const auto& of_class : members) {
    std::vector<int64_t> hand(of_class.size());
    for (int64_t& fold : hand) fold = next++ % folds;
    rng.shuffle(hand);
    for (size_t i = 0; i < hand.size(); ++i) result[of_class[i]] = hand[i];
  }
  return result;
}

FoldSplit split_at(const std::vector<int64_t>& folds, int64_t fold) {
  FoldSplit split;
  for (size_t i = 0; i < folds.size(); ++i)
    (folds[i] == fold ? split.held_out : split.rest).push_back(static_cast<int64_t>(i));
  return split;
}

FoldSplit random_hold_out(int64_t count, double share, Rng rng) {
  std::vector<int64_t> order(static_cast<size_t>(count));
  std::iota(order.begin(), order.end(), int64_t{0});
  rng.shuffle(order);
  const auto cut = order.begin() +
                   std::max<int64_t>(1, static_cast<int64_t>(share * static_cast<double>(count)));
  FoldSplit split{{cut, order.end()}, {order.begin(), cut}};
  std::sort(split.rest.begin(), split.rest.end());
  std::sort(split.held_out.begin(), split.held_out.end());
  return split;
}

}  // namespace contrastive::eval
