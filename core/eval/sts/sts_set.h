// The data of semantic textual similarity: pairs of sentences with human scores.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace contrastive::eval {

// One file: pairs that are correlated on their own.
struct StsSubset {
  // Name of the file, without the parts that its layout always has (".tsv", "STS.input."); unique
  // in a set.
  std::string name;
  std::vector<double> gold;
  std::vector<std::string> first, second;
  int64_t unscored = 0;  // pairs without a score, left out
};

// What papers name as one task: STS12 with its five subsets, STS-B with one.
struct StsSet {
  std::string name;
  std::vector<StsSubset> subsets;  // at least one
};

}  // namespace contrastive::eval
