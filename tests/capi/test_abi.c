/* Numbers and layouts that compiled programs rely on. Add lines here, but never change one: that
 * would break all existing bindings. */
#include "support.h"

#define FROZEN(condition) _Static_assert(condition, #condition)
FROZEN(CS_OK == 0 && CS_DONE == 1 && CS_ERROR_ARGUMENT == -1 && CS_ERROR_HANDLE == -2 &&
       CS_ERROR_STATE == -3 && CS_ERROR_BUSY == -4);
FROZEN(CS_ERROR_BUFFER == -5 && CS_ERROR_NOT_FOUND == -6 && CS_ERROR_IO == -7 &&
       CS_ERROR_NO_SPACE == -8 && CS_ERROR_FORMAT == -9);
FROZEN(CS_ERROR_UNSUPPORTED == -10 && CS_ERROR_LIMIT == -11 && CS_ERROR_MISMATCH == -12 &&
       CS_ERROR_CORRUPT == -13);
FROZEN(CS_ERROR_NO_MEMORY == -14 && CS_ERROR_DEVICE == -15 && CS_ERROR_NUMERIC == -16 &&
       CS_ERROR_CANCELLED == -17);
FROZEN(CS_ERROR_DISTRIBUTED == -18 && CS_ERROR_INTERNAL == -99);
FROZEN(CS_METRIC_COSINE == 0 && CS_METRIC_DOT == 1 && CS_METRIC_EUCLIDEAN == 2 &&
       CS_METRIC_MANHATTAN == 3);
FROZEN(CS_PRECISION_FLOAT16 == 1 && CS_PRECISION_INT8 == 2 && CS_PRECISION_UBINARY == 3);
FROZEN(CS_LOG_DEBUG == 0 && CS_LOG_INFO == 1 && CS_LOG_WARNING == 2);
FROZEN(sizeof(cs_status) == 4);

/* Version 0.1 of the options: a field is only ever appended after `cancel`. */
FROZEN(offsetof(cs_encode_options, struct_size) == 0 &&
       offsetof(cs_encode_options, normalize) == 4);
FROZEN(offsetof(cs_encode_options, pooling) == 8 && offsetof(cs_encode_options, prompt) == 16 &&
       offsetof(cs_encode_options, prompt_name) == 24);
FROZEN(offsetof(cs_encode_options, truncate_dim) == 32 &&
       offsetof(cs_encode_options, max_length) == 36);
FROZEN(offsetof(cs_encode_options, batch_tokens) == 40 &&
       offsetof(cs_encode_options, reserved) == 44);
FROZEN(offsetof(cs_encode_options, token_counts) == 48 &&
       offsetof(cs_encode_options, cancel) == 56);
FROZEN(sizeof(cs_encode_options) >= 64);

static void versions_agree(void **state) {
  (void)state;
  char expected[32];
  snprintf(expected, sizeof expected, "%d.%d.%d", CS_VERSION_MAJOR, CS_VERSION_MINOR,
           CS_VERSION_PATCH);
  assert_string_equal(cs_version(), expected);
  assert_int_equal(cs_abi_version(), CS_ABI_VERSION);
}

static void build_info_names_its_parts(void **state) {
  (void)state;
  cs_error *error = NULL;
  char *info = cs_build_info(&error);
  assert_non_null(info);
  const char *const keys[] = {"\"version\"",  "\"abi\"",           "\"compiler\"",
                              "\"libtorch\"", "\"libtorch_path\"", "\"library_path\"",
                              "\"cpu\"",      "\"threads\"",       "\"cuda\""};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; ++i) assert_non_null(strstr(info, keys[i]));
  assert_non_null(strstr(info, "libcontrastive"));
  for (const char *c = info; *c != 0; ++c) assert_true(*c > 0);
  cs_string_free(info);
  cs_string_free(NULL);
}

static void threads_are_set_and_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  expect_ok(cs_set_threads(1, &error));
  char *info = cs_build_info(&error);
  assert_non_null(strstr(info, "\"threads\":1,"));
  cs_string_free(info);
  expect_ok(cs_set_threads(0, &error));
  expect_error(cs_set_threads(-1, &error), CS_ERROR_ARGUMENT, "-1");
  expect_error(cs_set_threads(1025, &error), CS_ERROR_ARGUMENT, "1025");
  assert_int_equal(cs_set_threads(-1, NULL), CS_ERROR_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(versions_agree),
                                     leak_checked(build_info_names_its_parts),
                                     leak_checked(threads_are_set_and_checked)};
  return cmocka_run_group_tests_name("abi", tests, NULL, NULL);
}
