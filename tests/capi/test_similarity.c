/* Comparing, searching and quantising: hand-computed values, and every wrong size, pointer and
 * number. */
#include <math.h>

#include "support.h"

static const float kA[2 * 3] = {1, 0, 0, 0, 3, 4};
static const float kB[3 * 3] = {2, 0, 0, 0, 0, 0, 0, 6, 8};

static void expect_floats(const float *actual, const float *expected, size_t n) {
  for (size_t i = 0; i < n; ++i) {
    if (fabsf(actual[i] - expected[i]) < 1e-6f) continue;
    fail_msg("value %zu is %.9g, not %.9g", i, (double)actual[i], (double)expected[i]);
  }
}

static void metrics_are_as_documented(void **state) {
  (void)state;
  cs_error *error = NULL;
  float scores[6];
  const float cosine[6] = {1, 0, 0, 0, 0, 1}, dot[6] = {2, 0, 0, 0, 0, 50};
  const float euclidean[6] = {-1, -1, -10.0498756f, -5.38516481f, -5, -5},
              manhattan[6] = {-1, -1, -15, -9, -7, -7};
  expect_ok(cs_similarity(kA, 2, kB, 3, 3, CS_METRIC_COSINE, scores, 6, &error));
  expect_floats(scores, cosine, 6);
  expect_ok(cs_similarity(kA, 2, kB, 3, 3, CS_METRIC_DOT, scores, 6, &error));
  expect_floats(scores, dot, 6);
  expect_ok(cs_similarity(kA, 2, kB, 3, 3, CS_METRIC_EUCLIDEAN, scores, 6, &error));
  expect_floats(scores, euclidean, 6);
  expect_ok(cs_similarity(kA, 2, kB, 3, 3, CS_METRIC_MANHATTAN, scores, 6, &error));
  expect_floats(scores, manhattan, 6);
}

static void similarity_refuses_what_does_not_fit(void **state) {
  (void)state;
  cs_error *error = NULL;
  float scores[6] = {7, 7, 7, 7, 7, 7};
  expect_error(cs_similarity(kA, 2, kB, 3, 3, 9, scores, 6, &error), CS_ERROR_ARGUMENT,
               "metric is 9");
  expect_error(cs_similarity(kA, 2, kB, 3, 0, 0, scores, 6, &error), CS_ERROR_ARGUMENT,
               "dimension is 0");
  expect_error(cs_similarity(kA, -1, kB, 3, 3, 0, scores, 6, &error), CS_ERROR_ARGUMENT, "a is -1");
  expect_error(cs_similarity(NULL, 2, kB, 3, 3, 0, scores, 6, &error), CS_ERROR_ARGUMENT,
               "a is NULL");
  expect_error(cs_similarity(kA, 2, NULL, 3, 3, 0, scores, 6, &error), CS_ERROR_ARGUMENT,
               "b is NULL");
  expect_error(cs_similarity(kA, 2, kB, 3, 3, 0, NULL, 6, &error), CS_ERROR_ARGUMENT,
               "scores is NULL");
  expect_error(cs_similarity(kA, 2, kB, 3, 3, 0, scores, 5, &error), CS_ERROR_BUFFER,
               "6 are needed");
  expect_error(cs_similarity(kA, 2, kB, 3, 3, 0, scores, -1, &error), CS_ERROR_ARGUMENT,
               "negative");
  expect_error(cs_similarity(kA, INT64_MAX, kB, 3, 3, 0, scores, 6, &error), CS_ERROR_LIMIT,
               "a overflows");
  expect_error(cs_similarity(kA, 2, kB, INT64_C(1) << 61, 3, 0, scores, 6, &error), CS_ERROR_LIMIT,
               "b overflows");
  for (int i = 0; i < 6; ++i) assert_true(scores[i] == 7);
  assert_int_equal(cs_similarity(kA, 2, kB, 3, 3, 9, scores, 6, NULL), CS_ERROR_ARGUMENT);

  float both[12] = {1, 2, 3, 4, 5, 6};
  expect_error(cs_similarity(both, 2, both, 2, 3, 0, both + 4, 4, &error), CS_ERROR_ARGUMENT,
               "overlap");
  expect_ok(cs_similarity(both, 2, both, 2, 3, 0, both + 6, 4, &error));
}

static void nothing_compared_is_no_error(void **state) {
  (void)state;
  cs_error *error = NULL;
  expect_ok(cs_similarity(NULL, 0, kB, 3, 3, 0, NULL, 0, &error));
  expect_ok(cs_similarity(NULL, 0, NULL, 0, 3, 0, NULL, 0, &error));
  expect_ok(cs_search(NULL, 0, kB, 3, 3, 0, 2, NULL, NULL, 0, NULL, &error));
  expect_ok(cs_quantize(NULL, 0, 3, CS_PRECISION_UBINARY, NULL, NULL, 0, &error));
}

static void search_gives_the_best_first(void **state) {
  (void)state;
  cs_error *error = NULL;
  int32_t indices[8];
  float scores[8];
  expect_ok(cs_search(kA, 2, kB, 3, 3, CS_METRIC_DOT, 4, indices, scores, 8, NULL, &error));
  const int32_t expected[8] = {
      0, 1, 2, -1, 2, 0, 1, -1}; /* equal scores: the lower index first; the rest is padding */
  for (int i = 0; i < 8; ++i) assert_int_equal(indices[i], expected[i]);
  assert_true(scores[0] == 2 && scores[4] == 50 && isinf(scores[3]) && scores[3] < 0);
}

static void search_refuses_what_does_not_fit(void **state) {
  (void)state;
  cs_error *error = NULL;
  int32_t indices[4] = {5, 5, 5, 5};
  float scores[4];
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 0, indices, scores, 4, NULL, &error),
               CS_ERROR_ARGUMENT, "k is 0");
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 3, indices, scores, 4, NULL, &error), CS_ERROR_BUFFER,
               "6 are needed");
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 2, NULL, scores, 4, NULL, &error), CS_ERROR_ARGUMENT,
               "indices is NULL");
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 2, indices, NULL, 4, NULL, &error), CS_ERROR_ARGUMENT,
               "scores is NULL");
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 2, indices, (float *)indices, 4, NULL, &error),
               CS_ERROR_ARGUMENT, "overlap");
  expect_error(cs_search(kA, 2, kB, INT64_C(1) << 31, 3, 0, 2, indices, scores, 4, NULL, &error),
               CS_ERROR_LIMIT, "corpus");
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 2, indices, scores, 4, (cs_cancel *)(uintptr_t)8,
                         &error),
               CS_ERROR_HANDLE, "cancel");
  cs_cancel *cancel = cs_cancel_new(&error);
  cs_cancel_trigger(cancel);
  expect_error(cs_search(kA, 2, kB, 3, 3, 0, 2, indices, scores, 4, cancel, &error),
               CS_ERROR_CANCELLED, "cancelled");
  cs_cancel_free(cancel);
  for (int i = 0; i < 4; ++i) assert_int_equal(indices[i], 5);
}

static void quantized_values_are_as_documented(void **state) {
  (void)state;
  cs_error *error = NULL;
  const float values[2 * 2] = {0.f, -1.f, 255.f, 1.f};
  uint16_t halves[4];
  expect_ok(cs_quantize(values, 2, 2, CS_PRECISION_FLOAT16, NULL, (uint8_t *)halves, 8, &error));
  const uint16_t expected_halves[4] = {0x0000, 0xbc00, 0x5bf8, 0x3c00};
  assert_memory_equal(halves, expected_halves, sizeof halves);

  float calibration[4];
  expect_ok(cs_quantize_calibrate(values, 2, 2, calibration, 4, &error));
  const float expected_calibration[4] = {0, -1, 1, 2.f / 255};
  expect_floats(calibration, expected_calibration, 4);
  const float others[3 * 2] = {0.f, -1.f, 128.f, 0.5f, 1000.f, -1000.f};
  int8_t codes[6];
  expect_ok(cs_quantize(others, 3, 2, CS_PRECISION_INT8, calibration, (uint8_t *)codes, 6, &error));
  const int8_t expected_codes[6] = {-128, -128, 0, 63, 127, -128};
  assert_memory_equal(codes, expected_codes, 6);

  const float nine[9] = {1, -1, 1, 0, 0, 0, 0, 2, 3};
  uint8_t bits[2];
  expect_ok(cs_quantize(nine, 1, 9, CS_PRECISION_UBINARY, NULL, bits, 2, &error));
  assert_int_equal(bits[0], 0xa1);
  assert_int_equal(bits[1], 0x80);
}

static void quantize_refuses_what_does_not_fit(void **state) {
  (void)state;
  cs_error *error = NULL;
  const float bad[2] = {1, NAN};
  float calibration[6] = {0, 0, 1, 1, 1, 1};
  uint8_t output[24];
  expect_error(cs_quantize(kA, 2, 3, 4, NULL, output, 24, &error), CS_ERROR_ARGUMENT,
               "precision is 4");
  expect_error(cs_quantize(kA, 2, 3, CS_PRECISION_FLOAT16, NULL, output, 11, &error),
               CS_ERROR_BUFFER, "12 are needed");
  expect_error(cs_quantize(kA, 2, 3, CS_PRECISION_INT8, NULL, output, 24, &error),
               CS_ERROR_ARGUMENT, "calibration");
  expect_error(cs_quantize(kA, 2, 3, CS_PRECISION_UBINARY, calibration, output, 24, &error),
               CS_ERROR_ARGUMENT, "calibration");
  expect_error(cs_quantize(bad, 1, 2, CS_PRECISION_INT8, calibration, output, 24, &error),
               CS_ERROR_NUMERIC, "int8 needs finite");
  expect_error(cs_quantize_calibrate(kA, 0, 3, calibration, 6, &error), CS_ERROR_ARGUMENT,
               "at least one embedding");
  expect_error(cs_quantize_calibrate(kA, 2, 3, calibration, 5, &error), CS_ERROR_BUFFER,
               "6 are needed");
  expect_error(cs_quantize_calibrate(bad, 1, 2, calibration, 6, &error), CS_ERROR_NUMERIC,
               "int8 needs finite");
}

static void what_is_compared_is_finite(void **state) {
  (void)state;
  cs_error *error = NULL;
  float scores[1];
  int32_t indices[1];
  for (int32_t metric = 0; metric < 4; ++metric) {
    for (int bad = 0; bad < 2; ++bad) {
      const float vector[3] = {1, bad ? NAN : INFINITY, 2};
      expect_error(cs_similarity(vector, 1, vector, 1, 3, metric, scores, 1, &error),
                   CS_ERROR_NUMERIC, "a: vector 0 has NaN or infinity in dimension 1");
      expect_error(cs_search(kA, 1, vector, 1, 3, metric, 1, indices, scores, 1, NULL, &error),
                   CS_ERROR_NUMERIC, "corpus: vector 0 has");
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(metrics_are_as_documented),
                                     leak_checked(similarity_refuses_what_does_not_fit),
                                     leak_checked(nothing_compared_is_no_error),
                                     leak_checked(search_gives_the_best_first),
                                     leak_checked(search_refuses_what_does_not_fit),
                                     leak_checked(quantized_values_are_as_documented),
                                     leak_checked(quantize_refuses_what_does_not_fit),
                                     leak_checked(what_is_compared_is_finite)};
  return cmocka_run_group_tests_name("similarity", tests, NULL, NULL);
}
