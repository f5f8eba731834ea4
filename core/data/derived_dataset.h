// Datasets derived from another one without copying it: the single texts of pairs, or a random
// subset.
#pragma once

#include <cstdint>
#include <memory>

#include "core/data/dataset.h"

namespace contrastive::data {

// Makes each text a separate example, without label. Nothing connects the two texts of a pair
// any more (ConSERT's pool of unlabelled texts). Example 2 i is text a of pair i, example 2 i + 1
// its text b. A dataset of single texts is returned unchanged.
std::shared_ptr<const Dataset> separate_texts(std::shared_ptr<const Dataset> base);

// `examples` examples of the base in a seeded random order, or all of them in their own order if it
// has no more. With `upsample` the subset is repeated as often as it fits into the base's size
// (ConSERT's code: int(1 / share)), so that a run makes about as many updates as on the whole.
// Every repetition is a separate example.
std::shared_ptr<const Dataset> seeded_subset(std::shared_ptr<const Dataset> base, int64_t examples,
                                             uint64_t seed, bool upsample);

}  // namespace contrastive::data
