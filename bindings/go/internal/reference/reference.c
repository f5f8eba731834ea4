#include "reference.h"

#include <time.h>

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return 1e9 * (double)time.tv_sec + (double)time.tv_nsec;
}

double reference_time_bare(uintptr_t model, int64_t calls) {
  int64_t sum = 0;
  const double start = now();
  for (int64_t i = 0; i < calls; ++i) sum += cs_model_dimension((const cs_model *)model);
  const double end = now();
  return sum == 0 ? -1 : (end - start) / (double)calls;
}

double reference_time_encode(uintptr_t model, const char *data, const int32_t *offsets,
                             int64_t n_texts, float *embeddings, int64_t n_floats, int64_t calls) {
  const cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  const double start = now();
  for (int64_t i = 0; i < calls; ++i) {
    if (cs_encode_packed((const cs_model *)model, data, offsets, n_texts, &options, embeddings,
                         n_floats, NULL) != CS_OK)
      return -1;
  }
  return (now() - start) / (double)calls;
}

double reference_time_similarity(const float *a, int64_t n_a, const float *b, int64_t n_b,
                                 int64_t dimension, float *scores, int64_t calls) {
  const double start = now();
  for (int64_t i = 0; i < calls; ++i) {
    if (cs_similarity(a, n_a, b, n_b, dimension, CS_METRIC_COSINE, scores, n_a * n_b, NULL) !=
        CS_OK)
      return -1;
  }
  return (now() - start) / (double)calls;
}

int32_t reference_encode(uintptr_t model, const char *text, int64_t length, float *embedding,
                         int64_t n_floats) {
  const char *const texts[1] = {text};
  const int64_t lengths[1] = {length};
  return cs_encode((const cs_model *)model, texts, lengths, 1, NULL, embedding, n_floats, NULL);
}
