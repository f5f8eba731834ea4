// The augmentation of a view, as a config names it: "none", one of ConSERT's strategies, or several
// on the same view, such as "shuffle+feature-cutoff".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/torch/augment/embeddings/cutoff.h"
#include "core/base/rng.h"

namespace contrastive::augment {

struct CutoffStep {
  Cutoff kind;
  double rate;  // in (0, 1)
};

struct Strategy {
  bool shuffle = false;
  bool adversarial = false;
  std::vector<CutoffStep> cutoffs;  // in the order of their names

  bool changes_nothing() const { return !shuffle && !adversarial && cutoffs.empty(); }
};

// If `rate` is 0, each cutoff has its own: 0.15 for tokens and spans, 0.2 for features and elements
// (ConSERT 4.1). kArgument names `key` for an unknown or repeated name, and for "none" or
// "adversarial" joined with others.
Strategy parse_strategy(const std::string& text, double rate, const std::string& key);

// A random permutation of 0 ... length-1: the positions of a shuffled text.
std::vector<int32_t> shuffled_places(int64_t length, Rng& rng);

}  // namespace contrastive::augment
