/* Adapting through the C API. tests/core/adapt tests the adaptation itself; this tests the contract
 * of the calls. */
#include <math.h>
#include <unistd.h>

#include "support.h"

static cs_error *error;
static cs_model *model;
static cs_dataset *pairs, *corpus;
static char output[64], work[96];

static const char *const kWords[20] = {"the",  "cat",   "dog", "bird", "house", "mat",  "two",
                                       "old",  "new",   "fly", "run",  "open",  "cafe", "water",
                                       "tree", "green", "red", "blue", "small", "man"};

static void open_all(void) {
  error = NULL;
  cs_config *recipe = cs_config_parse(
      "{\"tokenizer\": \"" CONTRASTIVE_FIXTURES
      "/models/bert_st\", \"layers\": 1, \"hidden_size\": 32, \"attention_heads\": 2,"
      " \"max_length\": 32, \"pooling\": \"mean\"}",
      &error);
  model = cs_model_create(recipe, &error);
  cs_config_free(recipe);
  pairs = cs_dataset_new(&error);
  corpus = cs_dataset_new(&error);
  unsigned long long draw = 1;
  for (int i = 0; i < 160; ++i) {
    const char *w[5];
    for (int j = 0; j < 5; ++j) {
      draw = draw * 48271 % 2147483647;
      w[j] = kWords[draw % 20];
    }
    char anchor[80], positive[80];
    snprintf(anchor, sizeof anchor, "%s %s %s %s", w[0], w[1], w[2], w[3]);
    snprintf(positive, sizeof positive, "%s %s %s %s", w[2], w[0], w[3], w[4]);
    expect_ok(cs_dataset_add(pairs, anchor, -1, positive, -1, NAN, &error));
  }
  expect_ok(cs_dataset_add(corpus, "one man walks", -1, NULL, 0, NAN, &error));
  snprintf(output, sizeof output, "contrastive-adapted-%ld", (long)getpid());
  snprintf(work, sizeof work, "%s.adapting", output);
}

static void close_all(void) {
  char command[256];
  snprintf(command, sizeof command, "rm -rf '%s' '%s'", output, work);
  assert_int_equal(system(command), 0);
  cs_dataset_free(corpus);
  cs_dataset_free(pairs);
  cs_model_free(model);
}

static cs_config *keys(const char *json) { return cs_config_parse(json, &error); }

#define QUICK                                                                      \
  "\"lr\": 0.002, \"max_steps\": 20, \"test_share\": 0.3, \"near_duplicate\": 1, " \
  "\"mining.relative_margin\": -1e9, \"resamples\": 100"

static void a_report_says_what_was_done(void **state) {
  (void)state;
  open_all();
  cs_config *config = keys("{" QUICK ", \"min_gain\": 1}");
  char *report = cs_adapt(model, pairs, corpus, output, config, NULL, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  for (const char *const *key =
           (const char *const[]){"\"shipped\":false", "below min_gain", "\"figures\"",
                                 "\"ndcg@10\"", "\"low\"", "\"mining\"", "\"course\"", "\"better\"",
                                 "\"warnings\"", "\"settings\"", NULL};
       *key; ++key) {
    assert_non_null(strstr(report, *key));
  }
  cs_string_free(report);
  cs_config_free(config);
  assert_int_equal(access(output, F_OK), -1);
  assert_int_equal(access(work, F_OK), -1);
  char *described = cs_config_describe("adapt", &error);
  assert_non_null(described);
  for (const char *const *key = (const char *const[]){"\"min_gain\"", "\"mining.relative_margin\"",
                                                      "\"mnrl.scale\"", NULL};
       *key; ++key)
    assert_non_null(strstr(described, *key));
  cs_string_free(described);
  close_all();
}

static void mistakes_are_told_and_write_nothing(void **state) {
  (void)state;
  open_all();
  expect_error(cs_adapt(NULL, pairs, corpus, output, NULL, NULL, &error), CS_ERROR_HANDLE,
               "model is NULL");
  expect_error(cs_adapt(model, NULL, corpus, output, NULL, NULL, &error), CS_ERROR_HANDLE,
               "pairs is NULL");
  expect_error(cs_adapt(model, pairs, corpus, NULL, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "output is NULL");
  expect_error(cs_adapt(model, pairs, corpus, "", NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "no name");
  expect_error(cs_adapt(model, pairs, pairs, output, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "leave it out");
  expect_error(cs_adapt(model, corpus, NULL, output, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "a text without a second one");
  expect_error(cs_adapt(model, pairs, (const cs_dataset *)model, output, NULL, NULL, &error),
               CS_ERROR_HANDLE, "corpus");
  expect_error(cs_adapt(model, pairs, corpus, "/proc/none/model", NULL, NULL, &error), CS_ERROR_IO,
               "/proc/none");
  cs_config *config = keys("{\"min_gian\": 0.1}");
  expect_error(cs_adapt(model, pairs, corpus, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "min_gain");
  cs_config_free(config);
  config = keys("{\"test_share\": 0.1}");
  expect_error(cs_adapt(model, pairs, corpus, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "at least 200 are needed");
  cs_config_free(config);
  cs_cancel *cancel = cs_cancel_new(&error);
  cs_cancel_trigger(cancel);
  expect_error(cs_adapt(model, pairs, corpus, output, NULL, cancel, &error), CS_ERROR_CANCELLED,
               "cancelled");
  cs_cancel_free(cancel);
  assert_int_equal(access(output, F_OK), -1);
  assert_int_equal(access(work, F_OK), -1);
  close_all();
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(a_report_says_what_was_done),
                                     leak_checked(mistakes_are_told_and_write_nothing)};
  return cmocka_run_group_tests_name("adapt", tests, NULL, NULL);
}
