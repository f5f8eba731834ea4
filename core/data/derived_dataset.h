// Datasets made of another one, without copying it: the texts of pairs one by one, and a few
// examples of many.
#pragma once

#include <cstdint>
#include <memory>

#include "core/data/dataset.h"

namespace contrastive::data {

// Each text an example of its own, without label: what tells the two texts of a pair apart or holds
// them together is gone (ConSERT's pool of unlabelled texts). Example 2 i is text a of pair i, 2 i
// + 1 its text b. A dataset of single texts is returned as it is.
std::shared_ptr<const Dataset> separate_texts(std::shared_ptr<const Dataset> base);

// `examples` of the base in a seeded random order; all of them, in their own order, where it has no
// more. With `upsample` the subset is repeated as often as it fits whole into the base's size
// (ConSERT's code: int(1 / share)), so that a run makes about as many updates as on the whole;
// every repetition is an example of its own.
std::shared_ptr<const Dataset> seeded_subset(std::shared_ptr<const Dataset> base, int64_t examples,
                                             uint64_t seed, bool upsample);

}  // namespace contrastive::data
