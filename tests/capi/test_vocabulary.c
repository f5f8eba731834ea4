/* Training a tokenizer's vocabulary: what is written, and what is refused. What it learns is tested
 * in tests/core/vocabulary. */
#include <unistd.h>

#include "support.h"

static char folder[] = "contrastive-vocabulary-XXXXXX", input[64], output[64];

static int make_folder(void **state) {
  (void)state;
  if (mkdtemp(folder) == NULL) return -1;
  snprintf(input, sizeof input, "%s/corpus.txt", folder);
  snprintf(output, sizeof output, "%s/vocabulary", folder);
  FILE *const file = fopen(input, "w");
  if (file == NULL) return -1;
  for (int i = 0; i < 20; ++i) fputs("the cat sat on the mat\n", file);
  return fclose(file);
}

static int remove_folder(void **state) {
  (void)state;
  remove_tree(folder);
  return 0;
}

static void a_vocabulary_is_a_tokenizer(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_config *config = cs_config_parse("{\"size\": 60, \"max_length\": 16}", &error);
  expect_ok(cs_vocabulary_train(input, output, config, NULL, &error));
  cs_config_free(config);
  config = cs_config_parse(
      "{\"layers\": 1, \"hidden_size\": 8, \"attention_heads\": 2, \"pooling\": \"cls\"}", &error);
  cs_config_set(config, "tokenizer", output, &error);
  cs_model *model = cs_model_create(config, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  int32_t ids[8], count = 0;
  expect_ok(cs_tokenize(model, "the cat", -1, 0, ids, NULL, NULL, 8, &count, &error));
  assert_int_equal(count, 4);
  char *token = cs_token(model, ids[2], &error);
  assert_string_equal(token, "cat");
  cs_string_free(token);
  cs_model_free(model);
  cs_config_free(config);
}

static void mistakes_are_told(void **state) {
  (void)state;
  cs_error *error = NULL;
  expect_error(cs_vocabulary_train(NULL, output, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "input is NULL");
  expect_error(cs_vocabulary_train(input, NULL, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "output is NULL");
  expect_error(cs_vocabulary_train("/absent", output, NULL, NULL, &error), CS_ERROR_NOT_FOUND,
               "/absent");
  cs_config *config = cs_config_parse("{\"sise\": 60}", &error);
  expect_error(cs_vocabulary_train(input, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "did you mean 'size'");
  cs_config_free(config);
  config = cs_config_parse("{\"kind\": \"byte-bpe\", \"lowercase\": true}", &error);
  expect_error(cs_vocabulary_train(input, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "'lowercase'");
  cs_config_free(config);
  cs_cancel *cancel = cs_cancel_new(&error);
  cs_cancel_trigger(cancel);
  expect_error(cs_vocabulary_train(input, output, NULL, cancel, &error), CS_ERROR_CANCELLED,
               "cancelled");
  cs_cancel_free(cancel);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(a_vocabulary_is_a_tokenizer),
                                     leak_checked(mistakes_are_told)};
  return cmocka_run_group_tests_name("vocabulary", tests, make_folder, remove_folder);
}
