// Arithmetic on the caller's embeddings: comparing, searching, storing in fewer bytes.
#include "core/retrieval/similarity.h"

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/objects.h"

using namespace contrastive;
using namespace contrastive::capi;
using retrieval::Metric;

static_assert(CS_METRIC_COSINE == static_cast<int32_t>(Metric::kCosine) && CS_METRIC_DOT == static_cast<int32_t>(Metric::kDot) &&
                  CS_METRIC_EUCLIDEAN == static_cast<int32_t>(Metric::kEuclidean) &&
                  CS_METRIC_MANHATTAN == static_cast<int32_t>(Metric::kManhattan),
              "the C constants and core/retrieval/similarity.h are the same list");

namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 24;

Metric metric_argument(int32_t metric) {
  check(metric >= CS_METRIC_COSINE && metric <= CS_METRIC_MANHATTAN, Status::kArgument, "metric is ", metric, ": CS_METRIC_COSINE (0) to _MANHATTAN (3)");
  return static_cast<Metric>(metric);
}

void check_dimension(int64_t dimension) {
  check(dimension >= 1 && dimension <= kMaxDimension, Status::kArgument, "dimension is ", dimension, ": 1 to ", kMaxDimension, " is needed");
}

constexpr int64_t bytes_of(int64_t floats) { return floats * static_cast<int64_t>(sizeof(float)); }

}  // namespace

cs_status cs_similarity(const float* a, int64_t n_a, const float* b, int64_t n_b, int64_t dimension, int32_t metric, float* scores, int64_t n_scores,
                        cs_error** error) {
  return guard(error, [&] {
    const Metric kind = metric_argument(metric);
    check_dimension(dimension);
    const int64_t floats_a = count_elements(n_a, dimension, "a"), floats_b = count_elements(n_b, dimension, "b");
    const int64_t needed = count_elements(n_a, n_b, "scores");
    need_array(a, floats_a, "a");
    need_array(b, floats_b, "b");
    need_buffer(scores, n_scores, needed, "scores");
    refuse_overlap(scores, bytes_of(needed), a, bytes_of(floats_a), "scores and a");
    refuse_overlap(scores, bytes_of(needed), b, bytes_of(floats_b), "scores and b");
    if (needed > 0) retrieval::similarity(a, n_a, b, n_b, dimension, kind, scores);
  });
}
