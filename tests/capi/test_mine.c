/* Mining through the C API. tests/core/mining tests what is mined; this tests the contract of the
 * calls. */
#include <math.h>
#include <unistd.h>

#include "support.h"

static cs_error *error;
static cs_model *model;
static cs_dataset *pairs, *corpus;
static char output[64];

static const char *const kPairs[4][2] = {{"the cat sat", "a cat sits"},
                                         {"a dog runs", "the dog ran"},
                                         {"two birds fly", "birds in the air"},
                                         {"red and blue", "blue and red"}};
static const char *const kTexts[3] = {"the old house", "one man walks", "A  CAT sits"};

static void open_all(void) {
  error = NULL;
  model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  pairs = cs_dataset_new(&error);
  corpus = cs_dataset_new(&error);
  for (int i = 0; i < 4; ++i)
    expect_ok(cs_dataset_add(pairs, kPairs[i][0], -1, kPairs[i][1], -1, NAN, &error));
  for (int i = 0; i < 3; ++i)
    expect_ok(cs_dataset_add(corpus, kTexts[i], -1, NULL, 0, NAN, &error));
  snprintf(output, sizeof output, "contrastive-mined-%ld.jsonl", (long)getpid());
}

static void close_all(void) {
  cs_dataset_free(corpus);
  cs_dataset_free(pairs);
  cs_model_free(model);
  unlink(output);
}

static cs_config *keys(const char *json) { return cs_config_parse(json, &error); }

static void mining_reports_and_writes(void **state) {
  (void)state;
  open_all();
  cs_config *config = keys("{\"relative_margin\": -1e9, \"num_negatives\": 2}");
  char *report = cs_mine(model, NULL, pairs, corpus, output, config, NULL, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  assert_non_null(strstr(report, "\"rows\":8,"));
  assert_non_null(strstr(report, "\"documents\":7,"));
  assert_non_null(strstr(report, "\"equal_text\":1,"));
  for (const char *const *key = (const char *const[]){"\"removed\"", "\"median\"", "\"sample\"",
                                                      "\"missing_rows\":0", NULL};
       *key; ++key) {
    assert_non_null(strstr(report, *key));
  }
  cs_string_free(report);
  cs_dataset *mined = cs_dataset_open(output, NULL, &error);
  assert_int_equal(cs_dataset_size(mined), 8);
  expect_error(cs_mine(model, NULL, mined, NULL, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "the output is one of the inputs");
  assert_int_equal(cs_dataset_size(mined), 8);
  cs_dataset_free(mined);
  report = cs_mine(model, model, pairs, NULL, output, config, NULL,
                   &error); /* the model is its own guide */
  assert_non_null(report);
  assert_non_null(strstr(report, "\"documents\":4,"));
  cs_string_free(report);
  cs_config_free(config);
  char *described = cs_config_describe("mining", &error);
  assert_non_null(described);
  assert_non_null(strstr(described, "\"relative_margin\""));
  cs_string_free(described);
  close_all();
}

static void mistakes_are_told_and_write_nothing(void **state) {
  (void)state;
  open_all();
  expect_error(cs_mine(NULL, NULL, pairs, corpus, output, NULL, NULL, &error), CS_ERROR_HANDLE,
               "model is NULL");
  expect_error(cs_mine(model, NULL, NULL, corpus, output, NULL, NULL, &error), CS_ERROR_HANDLE,
               "pairs is NULL");
  expect_error(cs_mine(model, NULL, pairs, corpus, NULL, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "output is NULL");
  expect_error(cs_mine(model, NULL, pairs, pairs, output, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "leave it out");
  expect_error(cs_mine(model, NULL, corpus, NULL, output, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "a text without a positive");
  expect_error(cs_mine(model, (const cs_model *)corpus, pairs, NULL, output, NULL, NULL, &error),
               CS_ERROR_HANDLE, "model");
  expect_error(cs_mine(model, NULL, pairs, corpus, "mined.csv", NULL, NULL, &error),
               CS_ERROR_ARGUMENT, ".jsonl");
  expect_error(cs_mine(model, NULL, pairs, corpus, "/nowhere/mined.jsonl", NULL, NULL, &error),
               CS_ERROR_IO, "/nowhere");
  cs_config *config = keys("{\"relative_margn\": 0.1}");
  expect_error(cs_mine(model, NULL, pairs, corpus, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "relative_margin");
  cs_config_free(config);
  config = keys("{\"absolute_margin\": 3}");
  expect_error(cs_mine(model, NULL, pairs, corpus, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "no negative is left for any of 4 queries");
  cs_config_free(config);
  cs_cancel *cancel = cs_cancel_new(&error);
  cs_cancel_trigger(cancel);
  expect_error(cs_mine(model, NULL, pairs, corpus, output, NULL, cancel, &error),
               CS_ERROR_CANCELLED, "cancelled");
  cs_cancel_free(cancel);
  assert_int_equal(access(output, F_OK), -1);
  char folder[96];
  snprintf(folder, sizeof folder, "%s.vectors", output);
  assert_int_equal(access(folder, F_OK),
                   0); /* the failed call has stored embeddings, from which the next call would
                        * resume */
  remove_tree(folder);
  close_all();
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(mining_reports_and_writes),
                                     leak_checked(mistakes_are_told_and_write_nothing)};
  return cmocka_run_group_tests_name("mine", tests, NULL, NULL);
}
