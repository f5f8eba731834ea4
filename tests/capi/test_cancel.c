/* Cancel flags: any number of calls, in any order. */
#include "models.h"

static void cancel_accepts_everything(void **state) {
  (void)state;
  cs_cancel *cancel = cs_cancel_new(NULL);
  assert_non_null(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_free(cancel);
  cs_cancel_trigger(cancel);
  cs_cancel_trigger(NULL);
  cs_cancel_free(NULL);
}

struct heard {
  int calls;
  int64_t done, total;
  char what[64];
  cs_cancel *cancel; /* that is triggered, or NULL */
  cs_status inner;   /* of a call from inside the function */
};

static void hear(const char *what, int64_t done, int64_t total, void *user) {
  struct heard *heard = user;
  ++heard->calls;
  heard->done = done;
  heard->total = total;
  snprintf(heard->what, sizeof heard->what, "%s", what);
  heard->inner = cs_cancel_set_progress(heard->cancel, NULL, NULL, NULL);
  cs_cancel_trigger(heard->cancel);
}

static void encode_reports_progress(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_cancel *cancel = cs_cancel_new(NULL);
  struct heard heard = {0};
  const char *texts[3] = {"one", "two words", "and three words"};
  const int32_t width = cs_model_dimension(model);
  float *vectors = malloc(sizeof(float) * 3 * (size_t)width);
  cs_encode_options options = CS_ENCODE_OPTIONS_INIT;
  options.cancel = cancel;
  expect_ok(cs_cancel_set_progress(cancel, hear, &heard, &error));
  expect_ok(cs_encode(model, texts, NULL, 3, &options, vectors, 3 * width, &error));
  assert_int_equal(heard.calls, 1);
  assert_string_equal(heard.what, "texts encoded");
  assert_int_equal(heard.done, 3);
  assert_int_equal(heard.total, 3);
  assert_int_equal(heard.inner, CS_ERROR_BUSY);

  expect_ok(cs_cancel_set_progress(cancel, NULL, NULL, &error));
  expect_ok(cs_encode(model, texts, NULL, 3, &options, vectors, 3 * width, &error));
  assert_int_equal(heard.calls, 1);

  heard.cancel = cancel;
  expect_ok(cs_cancel_set_progress(cancel, hear, &heard, &error));
  expect_error(cs_encode(model, texts, NULL, 3, &options, vectors, 3 * width, &error),
               CS_ERROR_CANCELLED, "cancelled");
  expect_error(cs_cancel_set_progress(NULL, hear, &heard, &error), CS_ERROR_HANDLE, "cancel");
  free(vectors);
  cs_cancel_free(cancel);
  cs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(cancel_accepts_everything),
                                     leak_checked(encode_reports_progress)};
  return cmocka_run_group_tests_name("cancel", tests, NULL, NULL);
}
