/* Token ids and their places in the text. */
#include "models.h"
#include "support.h"

static void tokens_have_ids_and_places(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  const int32_t expected[9] = {2, 73, 84, 89, 77, 73, 88, 15, 3};
  int32_t ids[16], begins[16], ends[16], types[16], count = 0;
  expect_ok(
      cs_tokenize(model, "the cat sat on the mat.", -1, 0, ids, begins, ends, 16, &count, &error));
  assert_int_equal(count, 9);
  assert_memory_equal(ids, expected, sizeof expected);
  assert_int_equal(begins[0], -1);
  assert_int_equal(begins[2], 4);
  assert_int_equal(ends[2], 7);
  assert_int_equal(ends[8], -1);

  char *token = cs_token(model, ids[2], &error);
  assert_string_equal(token, "cat");
  cs_string_free(token);
  token = cs_token(model, 1000000, &error);
  assert_string_equal(token, "");
  cs_string_free(token);

  const int32_t pair[12] = {2, 73, 84, 89, 77, 73, 88, 15, 3, 21, 85, 3};
  expect_ok(cs_tokenize_pair(model, "the cat sat on the mat.", -1, "A dog", 5, 0, ids, types, 16,
                             &count, &error));
  assert_int_equal(count, 12);
  assert_memory_equal(ids, pair, sizeof pair);
  for (int i = 0; i < 12; ++i) assert_int_equal(types[i], i > 8);
  cs_model_free(model);
}

static void lengths_and_limits_of_tokens(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  int32_t ids[64] = {0}, count = 0;
  expect_ok(cs_tokenize(model, "the cat sat on the mat.", 7, 0, ids, NULL, NULL, 64, &count,
                        &error)); /* "the cat" */
  assert_int_equal(count, 4);
  expect_ok(cs_tokenize(model, "the\0cat", 7, 0, ids, NULL, NULL, 64, &count,
                        &error)); /* BERT drops a NUL: one unknown word */
  assert_true(count >= 3);
  expect_ok(cs_tokenize(model, "", 0, 0, ids, NULL, NULL, 64, &count, &error));
  assert_int_equal(count, 2);
  const char *many = "cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat cat "
                     "cat cat cat cat cat cat cat cat cat cat cat";
  expect_ok(cs_tokenize(model, many, -1, 0, ids, NULL, NULL, 64, &count, &error));
  assert_int_equal(count, 24);
  expect_ok(cs_tokenize(model, many, -1, -1, ids, NULL, NULL, 64, &count, &error));
  assert_int_equal(count, 32);
  expect_ok(cs_tokenize(model, many, -1, 5, ids, NULL, NULL, 64, &count, &error));
  assert_int_equal(count, 5);
  assert_int_equal(ids[4], 3);
  cs_model_free(model);
}

static void tokenize_refuses_what_does_not_fit(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  int32_t ids[4] = {7, 7, 7, 7}, count = 0;
  expect_ok(cs_tokenize(model, "the cat sat", -1, 0, NULL, NULL, NULL, 0, &count, &error));
  assert_int_equal(count, 5);
  count = 0;
  expect_error(cs_tokenize(model, "the cat sat", -1, 0, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_BUFFER, "5 are needed");
  assert_int_equal(count, 5);
  for (int i = 0; i < 4; ++i) assert_int_equal(ids[i], 7);
  expect_error(cs_tokenize(model, NULL, -1, 0, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "text is NULL");
  expect_error(cs_tokenize(model, "a", -2, 0, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "the length of text is -2");
  expect_error(cs_tokenize(model, "a", -1, -2, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "max_length is -2");
  expect_error(cs_tokenize(model, "a", -1, 1, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "max_length is 1:");
  expect_error(cs_tokenize(model, "a", -1, 0, NULL, NULL, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "ids is NULL");
  expect_error(cs_tokenize(model, "a", -1, 0, ids, NULL, NULL, 4, NULL, &error), CS_ERROR_ARGUMENT,
               "count is NULL");
  expect_error(cs_tokenize(model, "a", INT64_C(1) << 31, 0, ids, NULL, NULL, 4, &count, &error),
               CS_ERROR_LIMIT, "limit");
  expect_error(cs_tokenize((cs_model *)(uintptr_t)64, "a", -1, 0, ids, NULL, NULL, 4, &count,
                           &error),
               CS_ERROR_HANDLE, "model");
  expect_error(cs_tokenize(NULL, "a", -1, 0, ids, NULL, NULL, 4, &count, &error), CS_ERROR_HANDLE,
               "model is NULL");
  expect_error(cs_tokenize_pair(model, "a", -1, NULL, -1, 0, ids, NULL, 4, &count, &error),
               CS_ERROR_ARGUMENT, "text_b is NULL");
  expect_error(cs_token(NULL, 1, &error), CS_ERROR_HANDLE, "model is NULL");
  cs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(tokens_have_ids_and_places),
                                     leak_checked(lengths_and_limits_of_tokens),
                                     leak_checked(tokenize_refuses_what_does_not_fit)};
  return cmocka_run_group_tests_name("tokenize", tests, NULL, NULL);
}
