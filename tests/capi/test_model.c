/* Models: loading, describing, saving, snapshots. */
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

#define MODELS CONTRASTIVE_FIXTURES "/models/"

static cs_model *load(const char *name) {
  cs_error *error = NULL;
  char path[1024];
  snprintf(path, sizeof path, MODELS "%s", name);
  cs_model *model = cs_model_load(path, NULL, &error);
  if (model == NULL) fail_msg("%s", cs_error_message(error));
  return model;
}

static void a_model_describes_itself(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load("bert_st");
  assert_int_equal(cs_model_dimension(model), 32);
  assert_int_equal(cs_model_max_length(model), 24);
  assert_true(cs_model_memory(model) > 10000);
  char *info = cs_model_info(model, &error);
  assert_non_null(info);
  assert_non_null(strstr(info, "\"pooling\":[\"mean\"]"));
  assert_non_null(strstr(info, "\"notes\":["));
  const char *fingerprint = strstr(info, "\"fingerprint\":\"");
  assert_non_null(fingerprint);
  assert_int_equal(strspn(fingerprint + strlen("\"fingerprint\":\""), "0123456789abcdef"), 64);
  cs_config *config = cs_config_parse("{\"devices\": [\"cpu\", \"cpu\"]}", &error);
  cs_model *spread = cs_model_load(MODELS "bert_st", config, &error);
  assert_non_null(spread);
  char *spread_info = cs_model_info(spread, &error);
  assert_non_null(strstr(spread_info, "\"devices\":[\"cpu\",\"cpu\"]"));
  assert_memory_equal(strstr(spread_info, "\"fingerprint\":\""), fingerprint,
                      80); /* it does not depend on the device */
  cs_string_free(spread_info);
  cs_model_free(spread);
  cs_config_free(config);
  cs_string_free(info);
  cs_model_free(model);
  assert_int_equal(cs_model_dimension(model), CS_ERROR_HANDLE);
  assert_int_equal(cs_model_max_length(model), CS_ERROR_HANDLE);
  assert_int_equal(cs_model_memory(model), CS_ERROR_HANDLE);
  expect_error(cs_model_info(model, &error), CS_ERROR_HANDLE, "freed");
  cs_model_free(model);
  cs_model_free(NULL);
}

static void loading_says_what_is_wrong(void **state) {
  (void)state;
  cs_error *error = NULL;
  expect_error(cs_model_load(NULL, NULL, &error), CS_ERROR_ARGUMENT, "path is NULL");
  expect_error(cs_model_load(MODELS "no_such_model", NULL, &error), CS_ERROR_NOT_FOUND,
               "no_such_model");
  expect_error(cs_model_load(MODELS "roberta_hf", NULL, &error), CS_ERROR_ARGUMENT, "pooling");
  assert_null(cs_model_load(MODELS "no_such_model", NULL, NULL));

  cs_config *config = cs_config_parse("{\"poolin\": \"mean\"}", &error);
  expect_error(cs_model_load(MODELS "bert_st", config, &error), CS_ERROR_ARGUMENT, "pooling");
  cs_config_free(config);
  config = cs_config_parse("{\"device\": \"abacus\"}", &error);
  expect_error(cs_model_load(MODELS "bert_st", config, &error), CS_ERROR_ARGUMENT, "abacus");
  cs_config_free(config);
  expect_error(cs_model_load(MODELS "bert_st", config, &error), CS_ERROR_HANDLE, "config");

  config = cs_config_parse("{\"pooling\": \"mean\", \"x-mine\": 1}", &error);
  cs_model *model = cs_model_load(MODELS "roberta_hf", config, &error);
  assert_non_null(model);
  cs_model_free(model);
  cs_config_free(config);
}

static void a_saved_model_is_the_same(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-test-XXXXXX";
  assert_non_null(mkdtemp(folder));
  char path[256];
  snprintf(path, sizeof path, "%s/model", folder);
  cs_model *model = load("bert_st_old"), *copy = cs_model_snapshot(model, &error);
  assert_non_null(copy);
  expect_ok(cs_model_save(copy, path, &error));
  cs_model *loaded = cs_model_load(path, NULL, &error);
  assert_non_null(loaded);
  const char *texts[2] = {"the cat sat", "a dog"};
  float before[2 * 12], between[2 * 12], after[2 * 12];
  expect_ok(cs_encode(model, texts, NULL, 2, NULL, before, 24, &error));
  expect_ok(cs_encode(copy, texts, NULL, 2, NULL, between, 24, &error));
  expect_ok(cs_encode(loaded, texts, NULL, 2, NULL, after, 24, &error));
  assert_memory_equal(before, between, sizeof before);
  assert_memory_equal(before, after, sizeof before);
  expect_error(cs_model_save(model, NULL, &error), CS_ERROR_ARGUMENT, "path is NULL");
  snprintf(path, sizeof path, "%s/model/config.json/below-a-file", folder);
  expect_error(cs_model_save(model, path, &error), CS_ERROR_IO, "config.json");
  cs_model_free(loaded);
  cs_model_free(copy);
  cs_model_free(model);
  remove_tree(folder);
}

static void a_model_from_nothing(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-test-XXXXXX", corpus[64], vocabulary[64], recipe[256];
  assert_non_null(mkdtemp(folder));
  snprintf(corpus, sizeof corpus, "%s/corpus.txt", folder);
  snprintf(vocabulary, sizeof vocabulary, "%s/vocabulary", folder);
  FILE *file = fopen(corpus, "w");
  assert_non_null(file);
  for (int i = 0; i < 20; ++i) fprintf(file, "the cat sat on the mat, number %d\n", i);
  fclose(file);

  cs_config *config = cs_config_parse("{\"size\": 60}", &error);
  expect_ok(cs_vocabulary_train(corpus, vocabulary, config, NULL, &error));
  expect_ok(cs_vocabulary_train(corpus, vocabulary, config, NULL,
                                &error)); /* a vocabulary may be replaced */
  expect_error(cs_vocabulary_train(corpus, folder, config, NULL, &error), CS_ERROR_ARGUMENT,
               "corpus.txt");
  expect_error(cs_vocabulary_train(vocabulary, corpus, config, NULL, &error), CS_ERROR_ARGUMENT,
               "not a regular file");
  expect_error(cs_vocabulary_train(NULL, vocabulary, config, NULL, &error), CS_ERROR_ARGUMENT,
               "input is NULL");
  cs_config_free(config);

  snprintf(recipe, sizeof recipe,
           "{\"tokenizer\": \"%s\", \"layers\": 1, \"hidden_size\": 8, \"attention_heads\": 2, "
           "\"pooling\": \"cls\"}",
           vocabulary);
  config = cs_config_parse(recipe, &error);
  cs_model *model = cs_model_create(config, &error);
  assert_non_null(model);
  assert_int_equal(cs_model_dimension(model), 8);
  int32_t ids[8], count = 0;
  expect_ok(cs_tokenize(model, "the cat", -1, 0, ids, NULL, NULL, 8, &count, &error));
  assert_true(count >= 4);
  cs_model_free(model);
  cs_config_free(config);
  expect_error(cs_model_create(NULL, &error), CS_ERROR_ARGUMENT, "'tokenizer'");

  remove_tree(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(a_model_describes_itself),
                                     leak_checked(a_model_from_nothing),
                                     leak_checked(loading_says_what_is_wrong),
                                     leak_checked(a_saved_model_is_the_same)};
  return cmocka_run_group_tests_name("model", tests, NULL, NULL);
}
