/* Embeddings in .npy files. tests/core/io/npy_test.cpp tests the format; this tests the calls. */
#include <unistd.h>

#include "support.h"

static void vectors_are_saved_and_loaded(void **state) {
  (void)state;
  cs_error *error = NULL;
  char path[64];
  snprintf(path, sizeof path, "contrastive-npy-%ld.npy", (long)getpid());
  const float values[6] = {1, 2, 3, 4, 5, 6};
  float loaded[6] = {0};
  int64_t n = -1, dimension = -1;
  expect_ok(cs_npy_save(path, values, 2, 3, &error));
  expect_ok(cs_npy_load(path, NULL, 0, &n, &dimension, &error));
  assert_int_equal(n, 2);
  assert_int_equal(dimension, 3);
  expect_error(cs_npy_load(path, loaded, 5, &n, &dimension, &error), CS_ERROR_BUFFER,
               "embeddings has room for 5 elements, 6 are needed");
  assert_int_equal(dimension, 3);
  expect_ok(cs_npy_load(path, loaded, 6, &n, &dimension, &error));
  assert_memory_equal(loaded, values, sizeof values);
  unlink(path);
  expect_error(cs_npy_load(path, loaded, 6, &n, &dimension, &error), CS_ERROR_NOT_FOUND, path);
}

static void wrong_arguments_are_refused(void **state) {
  (void)state;
  cs_error *error = NULL;
  const float value = 1;
  int64_t n = 0;
  expect_error(cs_npy_save(NULL, &value, 1, 1, &error), CS_ERROR_ARGUMENT, "path is NULL");
  expect_error(cs_npy_save("x.npy", NULL, 1, 1, &error), CS_ERROR_ARGUMENT, "embeddings is NULL");
  expect_error(cs_npy_save("x.npy", &value, -1, 1, &error), CS_ERROR_ARGUMENT,
               "embeddings is -1 x 1");
  expect_error(cs_npy_save("no-such-folder/x.npy", &value, 1, 1, &error), CS_ERROR_IO,
               "no-such-folder");
  expect_error(cs_npy_load(NULL, NULL, 0, &n, &n, &error), CS_ERROR_ARGUMENT, "path is NULL");
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(vectors_are_saved_and_loaded),
                                     leak_checked(wrong_arguments_are_refused)};
  return cmocka_run_group_tests_name("npy", tests, NULL, NULL);
}
