/* Errors as objects: what a call leaves in them, and the names of statuses. */
#include "support.h"

static void errors_are_objects(void **state) {
  (void)state;
  cs_error *error = NULL;
  assert_null(cs_config_parse("{", &error));
  assert_int_equal(cs_error_status(error), CS_ERROR_FORMAT);
  assert_true(strlen(cs_error_message(error)) > 10);
  cs_error_free(error);
  assert_int_equal(cs_error_status(error), CS_ERROR_HANDLE);
  assert_non_null(cs_error_message(error));
  cs_error_free(error);
  assert_int_equal(cs_error_status(NULL), CS_ERROR_HANDLE);
  assert_non_null(cs_error_message(NULL));
  cs_error_free(NULL);
}

static void success_leaves_the_error_alone(void **state) {
  (void)state;
  cs_error *const mark = (cs_error *)(uintptr_t)0x1234;
  cs_error *error = mark;
  cs_config *config = cs_config_parse("{}", &error);
  assert_ptr_equal(error, mark);
  assert_int_equal(cs_config_set(config, "a", "1", &error), CS_OK);
  assert_ptr_equal(error, mark);
  cs_config_free(config);
}

static void statuses_have_names(void **state) {
  (void)state;
  assert_string_equal(cs_status_name(CS_OK), "OK");
  assert_string_equal(cs_status_name(CS_DONE), "DONE");
  assert_string_equal(cs_status_name(CS_ERROR_INTERNAL), "INTERNAL");
  assert_string_equal(cs_status_name(12345), "UNKNOWN");
  for (cs_status status = CS_ERROR_DISTRIBUTED; status <= CS_DONE; ++status)
    assert_string_not_equal(cs_status_name(status), "UNKNOWN");
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(errors_are_objects),
                                     leak_checked(success_leaves_the_error_alone),
                                     leak_checked(statuses_have_names)};
  return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
