// Functions on embeddings: similarity, search and quantisation.
#include "core/retrieval/similarity.h"

#include <algorithm>

#include "capi/src/arrays.h"
#include "capi/src/guard.h"
#include "capi/src/objects.h"
#include "core/retrieval/quantize.h"
#include "core/retrieval/top_k.h"

using namespace contrastive;
using namespace contrastive::capi;
using retrieval::Metric;

static_assert(CS_METRIC_COSINE == static_cast<int32_t>(Metric::kCosine) &&
                  CS_METRIC_DOT == static_cast<int32_t>(Metric::kDot) &&
                  CS_METRIC_EUCLIDEAN == static_cast<int32_t>(Metric::kEuclidean) &&
                  CS_METRIC_MANHATTAN == static_cast<int32_t>(Metric::kManhattan),
              "the C constants and core/retrieval/similarity.h are the same list");

namespace {

constexpr int64_t kMaxDimension = int64_t{1} << 24;

Metric metric_argument(int32_t metric) {
  check(metric >= CS_METRIC_COSINE && metric <= CS_METRIC_MANHATTAN, Status::kArgument,
        "metric is ", metric, ": CS_METRIC_COSINE (0) to _MANHATTAN (3)");
  return static_cast<Metric>(metric);
}

void check_dimension(int64_t dimension) {
  check(dimension >= 1 && dimension <= kMaxDimension, Status::kArgument, "dimension is ", dimension,
        ": 1 to ", kMaxDimension, " is needed");
}

constexpr int64_t bytes_of(int64_t floats) { return floats * static_cast<int64_t>(sizeof(float)); }

}  // namespace

cs_status cs_similarity(const float* a, int64_t n_a, const float* b, int64_t n_b, int64_t dimension,
                        int32_t metric, float* scores, int64_t n_scores, cs_error** error) {
  return guard(error, [&] {
    const Metric kind = metric_argument(metric);
    check_dimension(dimension);
    const int64_t floats_a = count_elements(n_a, dimension, "a"),
                  floats_b = count_elements(n_b, dimension, "b");
    const int64_t needed = count_elements(n_a, n_b, "scores");
    need_array(a, floats_a, "a");
    need_array(b, floats_b, "b");
    need_buffer(scores, n_scores, needed, "scores");
    refuse_overlap(scores, bytes_of(needed), a, bytes_of(floats_a), "scores and a");
    refuse_overlap(scores, bytes_of(needed), b, bytes_of(floats_b), "scores and b");
    if (needed > 0) retrieval::similarity(a, n_a, b, n_b, dimension, kind, scores);
  });
}

cs_status cs_search(const float* queries, int64_t n_queries, const float* corpus, int64_t n_corpus,
                    int64_t dimension, int32_t metric, int32_t k, int32_t* indices, float* scores,
                    int64_t capacity, const cs_cancel* cancel, cs_error** error) {
  return guard(error, [&] {
    const auto flag = cancel_or_none(cancel);
    retrieval::TopKOptions options;
    options.metric = metric_argument(metric);
    options.k = k;
    options.cancel = flag.get();
    check(k >= 1, Status::kArgument, "k is ", k, ": at least 1 is needed");
    check_dimension(dimension);
    const int64_t query_floats = count_elements(n_queries, dimension, "queries"),
                  corpus_floats = count_elements(n_corpus, dimension, "corpus");
    check(n_corpus <= INT32_MAX, Status::kLimit, "the corpus has ", n_corpus,
          " vectors, above the limit of ", INT32_MAX);
    const int64_t needed = count_elements(n_queries, k, "indices");
    need_array(queries, query_floats, "queries");
    need_array(corpus, corpus_floats, "corpus");
    need_buffer(indices, capacity, needed, "indices");
    need_buffer(scores, capacity, needed, "scores");
    for (const void* result :
         {static_cast<const void*>(indices), static_cast<const void*>(scores)}) {
      refuse_overlap(result, bytes_of(needed), queries, bytes_of(query_floats),
                     "results and queries");
      refuse_overlap(result, bytes_of(needed), corpus, bytes_of(corpus_floats),
                     "results and corpus");
    }
    refuse_overlap(indices, bytes_of(needed), scores, bytes_of(needed), "indices and scores");
    throw_if_cancelled(options.cancel);
    if (needed == 0) return;
    std::vector<int64_t> wide(static_cast<size_t>(needed));
    retrieval::top_k(queries, n_queries, corpus, n_corpus, dimension, options, wide.data(), scores);
    std::transform(wide.begin(), wide.end(), indices,
                   [](int64_t index) { return static_cast<int32_t>(index); });
  });
}

cs_status cs_quantize_calibrate(const float* embeddings, int64_t n, int64_t dimension,
                                float* calibration, int64_t n_floats, cs_error** error) {
  return guard(error, [&] {
    check_dimension(dimension);
    need_array(embeddings, count_elements(n, dimension, "embeddings"), "embeddings");
    need_buffer(calibration, n_floats, 2 * dimension, "calibration");
    const retrieval::Int8Calibration measured = retrieval::calibrate_int8(embeddings, n, dimension);
    std::copy(measured.step.begin(), measured.step.end(),
              std::copy(measured.start.begin(), measured.start.end(), calibration));
  });
}

namespace {

int64_t bytes_per_row(int32_t precision, int64_t dimension) {
  switch (precision) {
    case CS_PRECISION_FLOAT16: return 2 * dimension;
    case CS_PRECISION_INT8: return dimension;
    case CS_PRECISION_UBINARY: return retrieval::ubinary_bytes(dimension);
    default:
      fail(Status::kArgument, "precision is ", precision,
           ": CS_PRECISION_FLOAT16 (1), _INT8 (2) or _UBINARY (3) is needed");
  }
}

}  // namespace

cs_status cs_quantize(const float* embeddings, int64_t n, int64_t dimension, int32_t precision,
                      const float* calibration, uint8_t* output, int64_t n_bytes,
                      cs_error** error) {
  return guard(error, [&] {
    check_dimension(dimension);
    const int64_t floats = count_elements(n, dimension, "embeddings");
    const int64_t needed = count_elements(n, bytes_per_row(precision, dimension), "output");
    need_array(embeddings, floats, "embeddings");
    need_buffer(output, n_bytes, needed, "output");
    refuse_overlap(output, needed, embeddings, bytes_of(floats), "output and embeddings");
    check((calibration != nullptr) == (precision == CS_PRECISION_INT8), Status::kArgument,
          "calibration is needed for CS_PRECISION_INT8, from cs_quantize_calibrate, and for "
          "nothing else");
    if (precision == CS_PRECISION_FLOAT16) {
      check(reinterpret_cast<uintptr_t>(output) % alignof(uint16_t) == 0, Status::kArgument,
            "output must begin at an even address for float16");
      retrieval::quantize_float16(embeddings, floats, reinterpret_cast<uint16_t*>(output));
    } else if (precision == CS_PRECISION_INT8) {
      const retrieval::Int8Calibration rule{{calibration, calibration + dimension},
                                            {calibration + dimension, calibration + 2 * dimension}};
      retrieval::quantize_int8(embeddings, n, dimension, rule, reinterpret_cast<int8_t*>(output));
    } else {
      retrieval::quantize_ubinary(embeddings, n, dimension, output);
    }
  });
}
