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
