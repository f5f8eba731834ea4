// Similarity scores between vectors: for every metric, larger means more similar. top_k.h has exact
// top-k.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace contrastive::retrieval {

// The values are part of the C API. Euclidean and Manhattan are negated distances, as in
// sentence-transformers.
enum class Metric : int32_t { kCosine = 0, kDot = 1, kEuclidean = 2, kManhattan = 3 };

// The metrics by name, "cosine", "dot", "euclidean", "manhattan", for options and messages.
const std::vector<std::pair<std::string, Metric>>& metric_names();

// scores[i, j] = similarity of a's row i and b's row j. a: [n_a, d], b: [n_b, d], scores: [n_a,
// n_b], all row-major float32, not overlapping. A score depends, bit by bit, only on its two
// vectors: not on the other rows, the thread count or the order of the rows. The cosine with a zero
// vector is 0. Finite input gives finite scores: if float32 overflows or underflows on the way, the
// score is computed again in double, and beyond float32's range it is the largest float with the
// right sign. kNumeric names the first NaN or infinity of the input; the scores are undefined then.
// Multi-threaded.
void similarity(const float* a, int64_t n_a, const float* b, int64_t n_b, int64_t d, Metric metric,
                float* scores);

// scores[i] = similarity of a's row i and b's row i: the diagonal of the above, up to rounding
// (accumulated in double). a, b: [n, d]. kNumeric names the first pair with NaN or infinity.
void pairwise_similarity(const float* a, const float* b, int64_t n, int64_t d, Metric metric,
                         float* scores);

}  // namespace contrastive::retrieval
