/* Datasets: examples that are added one by one, and files of them. */
#include <math.h>
#include <unistd.h>

#include "pairs.h"
#include "support.h"

static void datasets_grow_and_count(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_dataset *data = fill();
  assert_int_equal(cs_dataset_size(data), 8);
  expect_error(cs_dataset_add(data, NULL, -1, NULL, -1, NAN, &error), CS_ERROR_ARGUMENT,
               "text_a is NULL");
  expect_error(cs_dataset_add(data, "a", -2, NULL, -1, NAN, &error), CS_ERROR_ARGUMENT,
               "the length of text_a is -2");
  expect_error(cs_dataset_add(NULL, "a", -1, NULL, -1, NAN, &error), CS_ERROR_HANDLE,
               "data is NULL");
  assert_int_equal(cs_dataset_size(data), 8);
  cs_dataset_free(data);
  assert_int_equal(cs_dataset_size(data), CS_ERROR_HANDLE);
  assert_int_equal(cs_dataset_size(NULL), CS_ERROR_HANDLE);
  cs_dataset_free(NULL);
}

static void dataset_files_are_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  char path[] = "contrastive-data-XXXXXX";
  const int file = mkstemp(path);
  assert_true(file >= 0);
  const char text[] = "one\ttwo\nthree\tfour\nfive\n";
  assert_int_equal(write(file, text, sizeof text - 1), (ssize_t)sizeof text - 1);
  close(file);
  cs_config *config = cs_config_parse("{\"data.format\": \"tsv\"}", &error);
  expect_error(cs_dataset_open(path, config, &error), CS_ERROR_FORMAT, ":3");
  cs_config_set(config, "data.on_error", "skip", &error);
  cs_dataset *data = cs_dataset_open(path, config, &error);
  assert_non_null(data);
  assert_int_equal(cs_dataset_size(data), 2);
  expect_error(cs_dataset_add(data, "a", -1, "b", -1, NAN, &error), CS_ERROR_STATE,
               "takes no further examples");
  cs_dataset_free(data);
  cs_config_set(config, "data.fromat", "tsv", &error);
  expect_error(cs_dataset_open(path, config, &error), CS_ERROR_ARGUMENT, "data.format");
  cs_config_free(config);
  unlink(path);
  expect_error(cs_dataset_open(path, NULL, &error), CS_ERROR_NOT_FOUND, path);
  expect_error(cs_dataset_open(NULL, NULL, &error), CS_ERROR_ARGUMENT, "path is NULL");
}

static void examples_may_have_hard_negatives(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_dataset *data = cs_dataset_new(&error);
  const char *const texts[4] = {"the cat sat", "a cat sits", "the dog sat", ""};
  const int64_t lengths[4] = {3, 10, 7, 0};
  expect_ok(cs_dataset_add_texts(data, texts, NULL, 4, NAN, &error));
  expect_ok(cs_dataset_add_texts(data, texts, lengths, 3, 1.5, &error));
  expect_ok(cs_dataset_add(data, "a dog runs", -1, "the dog ran", -1, NAN,
                           &error)); /* a pair without negatives is in the same dataset */
  assert_int_equal(cs_dataset_size(data), 3);
  expect_error(cs_dataset_add_texts(data, texts, NULL, 1, NAN, &error), CS_ERROR_ARGUMENT,
               "single text");
  expect_error(cs_dataset_add_texts(data, texts, NULL, 0, NAN, &error), CS_ERROR_ARGUMENT,
               "columns is 0");
  expect_error(cs_dataset_add_texts(data, texts, NULL, 65, NAN, &error), CS_ERROR_ARGUMENT,
               "columns is 65");
  expect_error(cs_dataset_add_texts(data, NULL, NULL, 3, NAN, &error), CS_ERROR_ARGUMENT,
               "texts is NULL");
  expect_error(cs_dataset_add_texts(data, (const char *const[]){"a", NULL, "b"}, NULL, 3, NAN,
                                    &error),
               CS_ERROR_ARGUMENT, "texts[1] is NULL");
  expect_error(cs_dataset_add_texts(NULL, texts, NULL, 3, NAN, &error), CS_ERROR_HANDLE,
               "data is NULL");
  assert_int_equal(cs_dataset_size(data), 3);
  cs_dataset_free(data);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(datasets_grow_and_count),
                                     leak_checked(dataset_files_are_checked),
                                     leak_checked(examples_may_have_hard_negatives)};
  return cmocka_run_group_tests_name("dataset", tests, NULL, NULL);
}
