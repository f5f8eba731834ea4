/* Invalid handles of every kind, and threads that use and free each other's. */
#include <pthread.h>

#include "support.h"

static void wrong_handles_are_recognised(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config = cs_config_parse("{}", &error);
  cs_cancel *cancel = cs_cancel_new(&error);
  int local = 0;
  expect_error(cs_config_to_json((cs_config *)cancel, &error), CS_ERROR_HANDLE, "another type");
  expect_error(cs_config_to_json((cs_config *)&local, &error), CS_ERROR_HANDLE, "config");
  expect_error(cs_config_to_json((cs_config *)(uintptr_t)1, &error), CS_ERROR_HANDLE, "config");
  expect_error(cs_config_to_json((cs_config *)UINTPTR_MAX, &error), CS_ERROR_HANDLE, "config");
  /* The same slot and generation, but the mark of another copy of the library. */
  expect_error(cs_config_to_json((cs_config *)((uintptr_t)config ^ ((uintptr_t)2 << 52)), &error),
               CS_ERROR_HANDLE, "config");
  cs_config_free((cs_config *)cancel);
  cs_cancel_free((cs_cancel *)config);
  cs_config_free((cs_config *)&local);
  char *json = cs_config_to_json(config, &error);
  assert_non_null(json);
  cs_string_free(json);
  cs_config_free(config);
  cs_cancel_free(cancel);
}

static void stale_handles_never_come_back(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *first = cs_config_parse("{}", &error);
  cs_config_free(first);
  cs_config_free(first);
  for (int i = 0; i < 100000; ++i) {
    cs_config *later = cs_config_parse(NULL, &error);
    assert_ptr_not_equal(later, first);
    cs_config_free(later);
  }
  expect_error(cs_config_set(first, "a", "1", &error), CS_ERROR_HANDLE, "freed");
}

static void live_handles_are_counted(void **state) {
  (void)state;
  const int64_t before = cs_live_handles();
  cs_config *configs[1000];
  for (int i = 0; i < 1000; ++i) configs[i] = cs_config_parse(NULL, NULL);
  assert_int_equal(cs_live_handles(), before + 1000);
  for (int i = 0; i < 1000; i += 2) cs_config_free(configs[i]);
  assert_int_equal(cs_live_handles(), before + 500);
  for (int i = 1; i < 1000; i += 2) cs_config_free(configs[i]);
  assert_int_equal(cs_live_handles(), before);
}

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
  expect_error(cs_set_log_sink(ignore_message, 7, &calls, &error), CS_ERROR_ARGUMENT, "7");
  expect_ok(cs_set_log_sink(NULL, CS_LOG_INFO, NULL, &error));
}

/* Threads create, use and free handles, some of them each other's. There must be no crash, no leak,
 * and no error but HANDLE and BUSY. */
enum { kThreads = 8, kRounds = 20000 };
static cs_config *volatile shared_config;

static void *storm(void *unexpected) {
  for (int i = 0; i < kRounds; ++i) {
    cs_error *error = NULL;
    cs_config *own = cs_config_parse("{\"a\": 1}", &error);
    cs_config *other = __atomic_exchange_n(&shared_config, own, __ATOMIC_ACQ_REL);
    const cs_status status = cs_config_set(own, "b", "2", &error);
    if (status != CS_OK && status != CS_ERROR_HANDLE && status != CS_ERROR_BUSY)
      __atomic_add_fetch((int *)unexpected, 1, __ATOMIC_RELAXED);
    if ((status == CS_OK) != (error == NULL))
      __atomic_add_fetch((int *)unexpected, 1, __ATOMIC_RELAXED);
    cs_error_free(error);
    cs_config_free(other);
  }
  return NULL;
}

static void handles_survive_a_storm_of_threads(void **state) {
  (void)state;
  int unexpected = 0;
  pthread_t threads[kThreads];
  for (int i = 0; i < kThreads; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, storm, &unexpected), 0);
  for (int i = 0; i < kThreads; ++i) pthread_join(threads[i], NULL);
  cs_config_free(shared_config);
  assert_int_equal(unexpected, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(wrong_handles_are_recognised),
                                     leak_checked(stale_handles_never_come_back),
                                     leak_checked(live_handles_are_counted),
                                     leak_checked(handles_survive_a_storm_of_threads)};
  return cmocka_run_group_tests_name("handles", tests, NULL, NULL);
}
