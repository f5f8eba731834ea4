/* Arguments of cs_set_log_sink. Tests of each module check the messages. */
#include "support.h"

static void ignore_message(int32_t level, const char *message, void *user) {
  (void)level;
  (void)message;
  ++*(int *)user;
}

static void log_sink_is_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  int calls = 0;
  expect_ok(cs_set_log_sink(ignore_message, CS_LOG_DEBUG, &calls, &error));
  expect_error(cs_set_log_sink(ignore_message, 7, &calls, &error), CS_ERROR_ARGUMENT,
               "lowest is 7");
  expect_ok(cs_set_log_sink(NULL, CS_LOG_INFO, NULL, &error));
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(log_sink_is_checked)};
  return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
