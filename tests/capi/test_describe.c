/* The description of every topic of keys. */
#include "support.h"

static void keys_are_described(void **state) {
  (void)state;
  cs_error *error = NULL;
  const char *const wanted[][2] = {{"model", "\"key\":\"device\""},
                                   {"data", "\"key\":\"data.format\""},
                                   {"train", "\"key\":\"batch_size\""},
                                   {"clsr", "\"key\":\"clsr.temperature\""},
                                   {"sts", "\"key\":\"data\""}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i) {
    char *rows = cs_config_describe(wanted[i][0], &error);
    assert_non_null(rows);
    assert_non_null(strstr(rows, wanted[i][1]));
    for (const char *const *column =
             (const char *const[]){"\"type\"", "\"default\"", "\"help\"", NULL};
         *column; ++column) {
      assert_non_null(strstr(rows, *column));
    }
    cs_string_free(rows);
  }
  char *all = cs_config_describe(NULL, &error);
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; ++i)
    assert_non_null(strstr(all, wanted[i][1]));
  cs_string_free(all);
  expect_null(cs_config_describe("modle", &error), CS_ERROR_ARGUMENT, "model");
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(keys_are_described)};
  return cmocka_run_group_tests_name("describe", tests, NULL, NULL);
}
