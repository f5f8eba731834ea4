#include "core/adapt/pair_split.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>
#include <utility>

#include "core/adapt/near_duplicates.h"
#include "core/base/error.h"
#include "core/base/rng.h"

namespace contrastive::adapt {
namespace {

// Finds which pairs are connected by shared texts, directly or indirectly.
class Groups {
 public:
  explicit Groups(size_t pairs) : parents_(pairs) {
    std::iota(parents_.begin(), parents_.end(), size_t{0});
  }

  void join(size_t a, size_t b) { parents_[root(a)] = root(b); }
  size_t root(size_t pair) {
    while (parents_[pair] != pair) pair = parents_[pair] = parents_[parents_[pair]];
    return pair;
  }

 private:
  std::vector<size_t> parents_;
};

// In the order of their first pairs.
std::vector<std::vector<size_t>> groups_of(const std::vector<AdaptPair>& pairs) {
  Groups groups(pairs.size());
  const mining::TextNormalizer normalizer;
  std::unordered_map<uint64_t, size_t> first_with;
  for (size_t i = 0; i < pairs.size(); ++i) {
    for (const std::string& text : {pairs[i].anchor, pairs[i].positive})
      groups.join(i, first_with.emplace(normalizer.hash(text), i).first->second);
  }
  std::vector<std::vector<size_t>> result;
  std::unordered_map<size_t, size_t> numbers;
  for (size_t i = 0; i < pairs.size(); ++i) {
    const auto [at, fresh] = numbers.emplace(groups.root(i), result.size());
    if (fresh) result.emplace_back();
    result[at->second].push_back(i);
  }
  return result;
}

std::vector<AdaptPair> taken(const std::vector<AdaptPair>& pairs, std::vector<size_t> numbers) {
  std::sort(numbers.begin(), numbers.end());
  std::vector<AdaptPair> part;
  for (const size_t number : numbers) part.push_back(pairs[number]);
  return part;
}

int64_t share_of(double share, int64_t pairs) {
  return std::llround(share * static_cast<double>(pairs));
}

int64_t needed_for(int64_t least, double share) {
  return static_cast<int64_t>(std::ceil(static_cast<double>(least) / share));
}

void check_enough(int64_t pairs, const SplitOptions& options) {
  const double dev = options.own_dev ? 0 : options.dev_share;
  int64_t needed = std::max(needed_for(kLeastTest, options.test_share),
                            needed_for(kLeastTrain, 1 - options.test_share - dev));
  if (!options.own_dev) needed = std::max(needed, needed_for(kLeastDev, dev));
  check(pairs >= needed, Status::kArgument, "adapt: there are ", pairs,
        " distinct pairs, and at least ", needed, " are needed: ", options.test_share,
        " of them are held out for the test, which takes ", kLeastTest, " pairs",
        options.own_dev
            ? ""
            : cat(", and ", dev, " to choose the best weights by, which takes ", kLeastDev));
}

void check_part(const char* part, size_t pairs, int64_t least, int64_t all, size_t groups,
                size_t largest, int64_t near) {
  check(static_cast<int64_t>(pairs) >= least, Status::kArgument, "adapt: the ", part, " part gets ",
        pairs, " of ", all, " pairs, and at least ", least, " are needed. ",
        near > 0 ? cat(near, " others are nearly the same as pairs of the test (near_duplicate). ")
                 : "",
        "Pairs that share a text stay together, in ", groups, " groups, the largest of ", largest,
        " pairs: give pairs of which fewer share a text, or more of them");
}

// Finds pairs that are nearly those of some parts.
class HeldOut {
 public:
  HeldOut(const std::vector<const std::vector<AdaptPair>*>& parts, double least)
      : anchors_(texts(parts, true), least), positives_(texts(parts, false), least) {}
  bool has_like(const AdaptPair& pair) const {
    return anchors_.has_like(pair.anchor) || positives_.has_like(pair.positive);
  }

 private:
  static std::vector<std::string> texts(const std::vector<const std::vector<AdaptPair>*>& parts,
                                        bool anchors) {
    std::vector<std::string> result;
    for (const auto* part : parts) {
      for (const AdaptPair& pair : *part) result.push_back(anchors ? pair.anchor : pair.positive);
    }
    return result;
  }
  NearDuplicates anchors_, positives_;
};

int64_t remove_like(std::vector<AdaptPair>& part, const HeldOut& held_out, const Cancel* cancel) {
  const size_t before = part.size();
  size_t looked_at = 0;
  part.erase(std::remove_if(part.begin(), part.end(),
                            [&](const AdaptPair& pair) {
                              if (looked_at++ % 1024 == 0) throw_if_cancelled(cancel);
                              return held_out.has_like(pair);
                            }),
             part.end());
  return static_cast<int64_t>(before - part.size());
}

// Reports why too few pairs are left to train on, and what helps. `dealt`: the training part before
// pairs similar to held-out ones were removed.
[[noreturn]] void refuse_few_left(const PairSplit& split, std::vector<AdaptPair> dealt, int64_t all,
                                  bool own_dev, const Cancel* cancel) {
  const auto left = static_cast<int64_t>(split.train.size()),
             held_out = static_cast<int64_t>(split.test.size() + (own_dev ? 0 : split.dev.size()));
  // Texts of the same words are nearly the same at every near_duplicate.
  const int64_t same = own_dev ? remove_like(dealt, HeldOut({&split.dev}, 1), cancel) : 0;
  const bool hopeless = same > 0 && left + split.train_near - same < kLeastTrain;
  fail(Status::kArgument, "adapt: ", left, " pairs are left to train on, and at least ",
       kLeastTrain, " are needed: of ", all, ", ", held_out, " are held out and ",
       split.train_near + split.dev_near, " are nearly the same as held-out ones. ",
       hopeless ? cat("The dev file has the same pairs, or texts of theirs: ", same,
                      " of these share one with it word for word. Give a dev file of other pairs")
                : "Give more pairs, or raise near_duplicate");
}

}  // namespace

PairSplit split_pairs(const std::vector<AdaptPair>& pairs, std::vector<AdaptPair> dev,
                      const SplitOptions& options, const Cancel* cancel) {
  const auto all = static_cast<int64_t>(pairs.size());
  check_enough(all, options);
  std::vector<std::vector<size_t>> groups = groups_of(pairs);
  size_t largest = 0;
  for (const auto& group : groups) largest = std::max(largest, group.size());
  Rng rng(static_cast<uint64_t>(options.seed), Purpose::kSplit);
  rng.shuffle(groups);
  const auto test_room = static_cast<size_t>(share_of(options.test_share, all));
  const auto dev_room = options.own_dev ? 0 : static_cast<size_t>(share_of(options.dev_share, all));
  std::vector<size_t> for_train, for_dev, for_test;
  for (const auto& group :
       groups) {  // a group that is too large for what is left of a held-out part is trained on
    auto& part = for_test.size() + group.size() <= test_room ? for_test
                 : for_dev.size() + group.size() <= dev_room ? for_dev
                                                             : for_train;
    part.insert(part.end(), group.begin(), group.end());
  }
  PairSplit split;
  split.groups = static_cast<int64_t>(groups.size());
  split.train = taken(pairs, for_train);
  split.test = taken(pairs, for_test);
  check_part("test", split.test.size(), kLeastTest, all, groups.size(), largest, 0);
  split.dev = options.own_dev ? std::move(dev) : taken(pairs, for_dev);
  if (options.own_dev) {
    check(static_cast<int64_t>(split.dev.size()) >= kLeastDev, Status::kArgument,
          "adapt: the dev file has ", split.dev.size(), " distinct pairs, and at least ", kLeastDev,
          " are needed");
  } else {
    split.dev_near = remove_like(split.dev, HeldOut({&split.test}, options.near_duplicate), cancel);
    check_part("dev", split.dev.size(), kLeastDev, all, groups.size(), largest, split.dev_near);
  }
  split.train_near =
      remove_like(split.train, HeldOut({&split.test, &split.dev}, options.near_duplicate), cancel);
  if (static_cast<int64_t>(split.train.size()) < kLeastTrain)
    refuse_few_left(split, taken(pairs, for_train), all, options.own_dev, cancel);
  return split;
}

}  // namespace contrastive::adapt
