/* Encoding: values, the packed form, options, bad input, and many threads on one model while it is
 * freed. */
#include <math.h>
#include <pthread.h>

#include "models.h"
#include "support.h"

enum { kDimension = 32, kTexts = 4 };
static const char *const kSentences[kTexts] = {
    "the cat sat on the mat.", "A dog",
    "Two birds fly over the old house; the caf\xc3\xa9 is closed!", ""};
/* The first four values of each embedding as sentence-transformers gives them
 * (bert_st.golden.json). */
static const float kGolden[kTexts][4] = {{0.04829992f, -0.05281743f, -0.04505512f, -0.04727352f},
                                         {-0.00830575f, -0.01093739f, -0.05507325f, 0.13137f},
                                         {-0.04314345f, -0.05287853f, -0.05728828f, 0.0337438f},
                                         {0.02627032f, -0.02338632f, -0.06400846f, 0.1258955f}};

static float length_of(const float *vector, int n) {
  float sum = 0;
  for (int i = 0; i < n; ++i) sum += vector[i] * vector[i];
  return sqrtf(sum);
}

static void embeddings_are_those_of_the_reference(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float embeddings[kTexts * kDimension];
  expect_ok(
      cs_encode(model, kSentences, NULL, kTexts, NULL, embeddings, kTexts * kDimension, &error));
  for (int i = 0; i < kTexts; ++i) {
    for (int j = 0; j < 4; ++j)
      assert_true(fabsf(embeddings[i * kDimension + j] - kGolden[i][j]) < 1e-5f);
  }
  cs_model_free(model);
}

static void every_form_of_texts_gives_the_same(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float expected[kTexts * kDimension], actual[kTexts * kDimension];
  expect_ok(
      cs_encode(model, kSentences, NULL, kTexts, NULL, expected, kTexts * kDimension, &error));

  char data[256];
  int32_t offsets[kTexts + 1];
  int64_t lengths[kTexts];
  offsets[0] = 10; /* the first text need not begin at 0 */
  for (int i = 0; i < kTexts; ++i) {
    lengths[i] = (int64_t)strlen(kSentences[i]);
    memcpy(data + offsets[i], kSentences[i], (size_t)lengths[i]);
    offsets[i + 1] = offsets[i] + (int32_t)lengths[i];
  }
  expect_ok(
      cs_encode(model, kSentences, lengths, kTexts, NULL, actual, kTexts * kDimension, &error));
  assert_memory_equal(actual, expected, sizeof expected);
  expect_ok(
      cs_encode_packed(model, data, offsets, kTexts, NULL, actual, kTexts * kDimension, &error));
  assert_memory_equal(actual, expected, sizeof expected);
  for (int i = 0; i < kTexts; ++i) {
    expect_ok(cs_encode(model, kSentences + i, NULL, 1, NULL, actual, kDimension, &error));
    for (int j = 0; j < kDimension; ++j)
      assert_true(fabsf(actual[j] - expected[i * kDimension + j]) <= 1e-6f);
  }
  cs_model_free(model);
}

static void options_change_what_they_say(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float embeddings[kTexts * kDimension];
  int32_t counts[kTexts] = {0};
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.token_counts = counts;
  options.max_length = 4;
  expect_ok(cs_encode(model, kSentences, NULL, kTexts, &options, embeddings, kTexts * kDimension,
                      &error));
  const int32_t expected_counts[kTexts] = {9, 4, 16, 2};
  assert_memory_equal(counts, expected_counts, sizeof counts);
  assert_true(fabsf(length_of(embeddings, kDimension) - 1) < 1e-5f);

  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.normalize = 0;
  expect_ok(cs_encode(model, kSentences, NULL, 1, &options, embeddings, kDimension, &error));
  assert_true(fabsf(length_of(embeddings, kDimension) - 1) > 0.1f);

  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.truncate_dim = 5;
  assert_int_equal(cs_encode_dimension(model, &options, &error), 5);
  expect_ok(cs_encode(model, kSentences, NULL, 1, &options, embeddings, 5, &error));
  assert_true(fabsf(length_of(embeddings, 5) - 1) < 1e-5f);
  assert_int_equal(cs_encode_dimension(model, NULL, &error), kDimension);
  cs_model_free(model);
}

static void texts_are_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float out[2 * kDimension];
  const char *const holed[2] = {"a", NULL};
  const int64_t negative[2] = {1, -5};
  const int32_t falling[3] = {0, 2, 1}, below[2] = {-1, 1}, whole[3] = {0, 1, 2};
  expect_ok(cs_encode(model, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_ok(cs_encode(model, kSentences, NULL, 0, NULL, out, 0, &error));
  expect_ok(cs_encode_packed(model, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_error(cs_encode(model, NULL, NULL, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "texts is NULL");
  expect_error(cs_encode(model, holed, NULL, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "texts[1] is NULL");
  expect_error(cs_encode(model, kSentences, negative, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "lengths[1]");
  expect_error(cs_encode(model, kSentences, NULL, -1, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "-1");
  expect_error(cs_encode(model, kSentences, NULL, INT64_MAX, NULL, out, 64, &error), CS_ERROR_LIMIT,
               "limit");
  expect_error(cs_encode_packed(model, "abc", falling, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "offsets[2]");
  expect_error(cs_encode_packed(model, "abc", below, 1, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "offsets[1]");
  expect_error(cs_encode_packed(model, NULL, whole, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "data is NULL");
  expect_error(cs_encode_packed(model, "abc", NULL, 2, NULL, out, 64, &error), CS_ERROR_ARGUMENT,
               "offsets is NULL");
  cs_model_free(model);
}

static void the_buffer_is_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float out[2 * kDimension];
  for (int i = 0; i < 2 * kDimension; ++i) out[i] = 7;
  expect_error(cs_encode(model, kSentences, NULL, 2, NULL, NULL, 64, &error), CS_ERROR_ARGUMENT,
               "embeddings is NULL");
  expect_error(cs_encode(model, kSentences, NULL, 2, NULL, out, 63, &error), CS_ERROR_BUFFER,
               "64 are needed");
  expect_error(cs_encode(model, kSentences, NULL, 2, NULL, out, -1, &error), CS_ERROR_ARGUMENT,
               "negative");
  expect_error(cs_encode(NULL, kSentences, NULL, 2, NULL, out, 64, &error), CS_ERROR_HANDLE,
               "model is NULL");
  assert_int_equal(cs_encode(model, kSentences, NULL, 2, NULL, out, 63, NULL), CS_ERROR_BUFFER);
  for (int i = 0; i < 2 * kDimension; ++i) assert_true(out[i] == 7);
  cs_model_free(model);
}

static void the_options_struct_is_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float out[kDimension];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
#define refused(text)                                                                    \
  expect_error(cs_encode(model, kSentences, NULL, 1, &options, out, kDimension, &error), \
               CS_ERROR_ARGUMENT, text)
  options.struct_size = 0;
  refused("struct_size is 0, this library's is 64");
  options.struct_size = 63;
  refused("struct_size is 63");
  options.struct_size = UINT32_MAX;
  refused("struct_size");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.reserved = 1;
  refused("reserved");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.normalize = 2;
  refused("normalize is 2");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.truncate_dim = 33;
  refused("33");
  options.truncate_dim = -1;
  refused("truncate_dim");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.max_length = -1;
  refused("max_length");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.batch_tokens = -1;
  refused("batch_tokens");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.pooling = "Mean";
  refused("mean");
  options = (cs_encode_options)CS_ENCODE_OPTIONS_INIT;
  options.prompt_name = "qurey";
  refused("query");
#undef refused
  expect_error(cs_encode_dimension(model, &options, &error), CS_ERROR_ARGUMENT, "query");
  cs_model_free(model);
}

/* A caller that was compiled against a later header: its struct is longer. */
static void a_newer_caller_is_understood_as_far_as_it_goes(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float out[kDimension];
  struct {
    cs_encode_options known;
    int64_t added;
  } newer = {CS_ENCODE_OPTIONS_INIT, 0};
  newer.known.struct_size = sizeof newer;
  expect_ok(cs_encode(model, kSentences, NULL, 1, &newer.known, out, kDimension, &error));
  newer.added = 1;
  expect_error(cs_encode(model, kSentences, NULL, 1, &newer.known, out, kDimension, &error),
               CS_ERROR_ARGUMENT, "newer library");
  cs_model_free(model);
}

static void cancel_stops_encoding(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_cancel *cancel = cs_cancel_new(&error);
  float out[kDimension];
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.cancel = cancel;
  expect_ok(cs_encode(model, kSentences, NULL, 1, &options, out, kDimension, &error));
  cs_cancel_trigger(cancel);
  expect_error(cs_encode(model, kSentences, NULL, 1, &options, out, kDimension, &error),
               CS_ERROR_CANCELLED, "cancelled");
  cs_cancel_free(cancel);
  expect_error(cs_encode(model, kSentences, NULL, 1, &options, out, kDimension, &error),
               CS_ERROR_HANDLE, "cancel");
  cs_model_free(model);
}

static void invalid_utf8_is_replaced(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  float broken[kDimension], replaced[kDimension];
  const char *const bad[1] = {"a \xff\xfe dog \xed\xa0\x80"},
                    *const good[1] = {
                        "a \xef\xbf\xbd\xef\xbf\xbd dog \xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd"};
  expect_ok(cs_encode(model, bad, NULL, 1, NULL, broken, kDimension, &error));
  expect_ok(cs_encode(model, good, NULL, 1, NULL, replaced, kDimension, &error));
  assert_memory_equal(broken, replaced, sizeof broken);
  cs_model_free(model);
}

/* Threads that encode while the model is freed under them: each call gives the right values or
 * HANDLE. */
enum { kThreads = 6, kRounds = 60 };
struct storm {
  cs_model *model;
  float expected[kTexts * kDimension];
  int wrong, encoded, stale;
};

static void *encode_in_a_storm(void *argument) {
  struct storm *storm = argument;
  for (int round = 0; round < kRounds; ++round) {
    cs_error *error = NULL;
    float out[kTexts * kDimension];
    const cs_status status =
        cs_encode(storm->model, kSentences, NULL, kTexts, NULL, out, kTexts * kDimension, &error);
    if (status == CS_OK && memcmp(out, storm->expected, sizeof out) == 0) {
      __atomic_add_fetch(&storm->encoded, 1, __ATOMIC_RELAXED);
    } else if (status == CS_ERROR_HANDLE && error != NULL) {
      __atomic_add_fetch(&storm->stale, 1, __ATOMIC_RELAXED);
    } else {
      __atomic_add_fetch(&storm->wrong, 1, __ATOMIC_RELAXED);
    }
    cs_error_free(error);
  }
  return NULL;
}

static void run_storm(int free_after) {
  cs_error *error = NULL;
  struct storm storm;
  memset(&storm, 0, sizeof storm);
  storm.model = load_bert();
  expect_ok(cs_encode(storm.model, kSentences, NULL, kTexts, NULL, storm.expected,
                      kTexts * kDimension, &error));
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, encode_in_a_storm, &storm), 0);
  while (__atomic_load_n(&storm.encoded, __ATOMIC_RELAXED) < free_after) {
    assert_int_equal(__atomic_load_n(&storm.wrong, __ATOMIC_RELAXED), 0);
  }
  cs_model_free(storm.model);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  assert_int_equal(storm.wrong, 0);
  assert_int_equal(storm.encoded + storm.stale, kThreads * kRounds);
}

static void many_threads_encode_alike(void **state) {
  (void)state;
  run_storm(kThreads * kRounds);
}

static void a_model_may_be_freed_under_running_calls(void **state) {
  (void)state;
  for (int i = 0; i < 5; ++i) run_storm(20);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(embeddings_are_those_of_the_reference),
                                     leak_checked(every_form_of_texts_gives_the_same),
                                     leak_checked(options_change_what_they_say),
                                     leak_checked(texts_are_checked),
                                     leak_checked(the_buffer_is_checked),
                                     leak_checked(the_options_struct_is_checked),
                                     leak_checked(a_newer_caller_is_understood_as_far_as_it_goes),
                                     leak_checked(cancel_stops_encoding),
                                     leak_checked(invalid_utf8_is_replaced),
                                     leak_checked(many_threads_encode_alike),
                                     leak_checked(a_model_may_be_freed_under_running_calls)};
  return cmocka_run_group_tests_name("encode", tests, NULL, NULL);
}
