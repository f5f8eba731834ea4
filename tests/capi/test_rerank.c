/* Rerankers: values, both forms of the texts, options, labels, saving, bad input, cancelling, and
 * many threads on one reranker while it is freed. */
#include <math.h>
#include <pthread.h>

#include "support.h"

/* A field is only ever appended after `cancel`. (test_abi.c is compiled with the last release's
 * header, which has no rerankers.) */
#define PLACED(condition) _Static_assert(condition, #condition)
PLACED(offsetof(cs_rerank_options, struct_size) == 0 &&
       offsetof(cs_rerank_options, max_length) == 4);
PLACED(offsetof(cs_rerank_options, activation) == 8 && offsetof(cs_rerank_options, prompt) == 16 &&
       offsetof(cs_rerank_options, prompt_name) == 24);
PLACED(offsetof(cs_rerank_options, batch_tokens) == 32 &&
       offsetof(cs_rerank_options, reserved) == 36);
PLACED(offsetof(cs_rerank_options, token_counts) == 40 &&
       offsetof(cs_rerank_options, cancel) == 48);
PLACED(sizeof(cs_rerank_options) >= 56);

enum { kDocuments = 3 };
static const char *const kQuery = "the sun is in the sea";
static const char *const kDocumentOf[kDocuments] = {"a hare ran!", "trees", ""};
/* The first scores of CrossEncoder for these (rerankers/bert/golden.json: pairs 0, 1 and 4). */
static float golden[kDocuments];

static cs_reranker *load_reranker(const char *name) {
  char path[512];
  cs_error *error = NULL;
  snprintf(path, sizeof path, CONTRASTIVE_FIXTURES "/rerankers/%s", name);
  cs_reranker *reranker = cs_reranker_load(path, NULL, &error);
  if (reranker == NULL) fail_msg("%s", cs_error_message(error));
  return reranker;
}

/* "scores":[[0.58],[0.61],...] of golden.json, those of pairs 0, 1 and 4. */
static void read_golden(void) {
  static char text[1 << 16];
  FILE *file = fopen(CONTRASTIVE_FIXTURES "/rerankers/bert/golden.json", "r");
  assert_non_null(file);
  const size_t length = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  text[length] = '\0';
  const char *at = strstr(text, "\"scores\":[");
  assert_non_null(at);
  at += strlen("\"scores\":[");
  for (int pair = 0; pair < 5; ++pair) {
    at = strchr(at, '[') + 1;
    const float score = strtof(at, NULL);
    if (pair < 2) golden[pair] = score;
    if (pair == 4) golden[2] = score;
  }
}

static void scores_are_those_of_the_reference(void **state) {
  (void)state;
  cs_error *error = NULL;
  read_golden();
  cs_reranker *reranker = load_reranker("bert");
  assert_int_equal(cs_reranker_labels(reranker), 1);
  assert_int_equal(cs_reranker_max_length(reranker), 48);
  assert_int_equal(cs_reranker_detect(CONTRASTIVE_FIXTURES "/rerankers/bert"), 1);
  assert_int_equal(cs_reranker_detect(CONTRASTIVE_FIXTURES "/rerankers/saved"), 1);
  assert_int_equal(cs_reranker_detect(CONTRASTIVE_FIXTURES "/models/bert_st"), 0);
  assert_int_equal(cs_reranker_detect(""), 0);
  assert_int_equal(cs_reranker_detect(NULL), 0);
  float scores[kDocuments];
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, scores, kDocuments,
                      &error));
  for (int i = 0; i < kDocuments; ++i) assert_true(fabsf(scores[i] - golden[i]) < 1e-5f);
  cs_reranker_free(reranker);
}

static void both_forms_of_texts_give_the_same(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_reranker *reranker = load_reranker("bert");
  float expected[kDocuments], actual[kDocuments];
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, expected,
                      kDocuments, &error));
  char data[256];
  int32_t offsets[2 * kDocuments + 1] = {5}; /* the first text need not begin at 0 */
  int64_t lengths[kDocuments];
  for (int i = 0; i < 2 * kDocuments; ++i) {
    const char *text = i % 2 == 0 ? kQuery : kDocumentOf[i / 2];
    lengths[i / 2] = (int64_t)strlen(text);
    memcpy(data + offsets[i], text, strlen(text));
    offsets[i + 1] = offsets[i] + (int32_t)strlen(text);
  }
  expect_ok(
      cs_rerank_packed(reranker, data, offsets, kDocuments, NULL, actual, kDocuments, &error));
  assert_memory_equal(actual, expected, sizeof expected);
  expect_ok(cs_rerank(reranker, kQuery, (int64_t)strlen(kQuery), kDocumentOf, lengths, kDocuments,
                      NULL, actual, kDocuments, &error));
  assert_memory_equal(actual, expected, sizeof expected);
  cs_reranker_free(reranker);
}

static void options_change_what_they_say(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_reranker *reranker = load_reranker("bert");
  float scores[kDocuments], logits[kDocuments];
  int32_t counts[kDocuments] = {0};
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = "identity";
  options.token_counts = counts;
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, scores, kDocuments,
                      &error));
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, &options, logits,
                      kDocuments, &error));
  for (int i = 0; i < kDocuments; ++i)
    assert_true(fabsf(1 / (1 + expf(-logits[i])) - scores[i]) < 1e-6f);
  assert_true(counts[0] > counts[1] && counts[1] > counts[2] && counts[2] > 3);
  options.max_length = 8;
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 1, &error));
  assert_true(counts[0] > 8 && fabsf(scores[0] - logits[0]) > 1e-6f);
  options.prompt = "who: ";
  float prompted = 0;
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, &prompted, 1, &error));
  cs_reranker_free(reranker);
}

static void several_labels_have_a_score_each(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_reranker *reranker = load_reranker("bert_labels");
  assert_int_equal(cs_reranker_labels(reranker), 3);
  float scores[3 * kDocuments];
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = "softmax";
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, &options, scores,
                      3 * kDocuments, &error));
  for (int i = 0; i < kDocuments; ++i)
    assert_true(fabsf(scores[3 * i] + scores[3 * i + 1] + scores[3 * i + 2] - 1) < 1e-5f);
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, scores,
                           kDocuments, &error),
                 CS_ERROR_BUFFER, "9 are needed");
  char *info = cs_reranker_info(reranker, &error);
  assert_non_null(info);
  assert_non_null(strstr(info, "\"labels\":[\"contradiction\",\"entailment\",\"neutral\"]"));
  assert_non_null(strstr(info, "\"fingerprint\":\""));
  cs_string_free(info);
  cs_reranker_free(reranker);
}

static void it_is_saved_and_loaded(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-rerank-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/saved", folder);
  cs_reranker *reranker = load_reranker("roberta");
  expect_ok(cs_reranker_save(reranker, path, &error));
  cs_reranker *again = cs_reranker_load(path, NULL, &error);
  assert_non_null(again);
  float a[kDocuments], b[kDocuments];
  expect_ok(
      cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, a, kDocuments, &error));
  expect_ok(
      cs_rerank(again, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, b, kDocuments, &error));
  assert_memory_equal(a, b, sizeof a);
  cs_reranker_free(reranker);
  cs_reranker_free(again);
  char command[128];
  snprintf(command, sizeof command, "rm -r %s", folder);
  assert_int_equal(system(command), 0);
}

static void arguments_are_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_reranker *reranker = load_reranker("bert");
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  float scores[kDocuments] = {7, 7, 7};
  const char *const holed[2] = {"a", NULL};
  const int32_t falling[3] = {0, 2, 1};
  expect_ok(cs_rerank(reranker, kQuery, -1, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_ok(cs_rerank_packed(reranker, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_failure(cs_rerank(reranker, NULL, -1, kDocumentOf, NULL, 1, NULL, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "query is NULL");
  expect_failure(cs_rerank(reranker, kQuery, -1, holed, NULL, 2, NULL, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "documents[1] is NULL");
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 3, NULL, scores, 2, &error),
                 CS_ERROR_BUFFER, "3 are needed");
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 3, NULL, NULL, 3, &error),
                 CS_ERROR_ARGUMENT, "scores is NULL");
  expect_failure(cs_rerank_packed(reranker, "abc", falling, 1, NULL, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "offsets[2]");
  expect_failure(cs_rerank_packed(reranker, "abc", falling, -1, NULL, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "negative");
  expect_failure(cs_rerank_packed(reranker, "abc", falling, INT64_MAX, NULL, scores, 3, &error),
                 CS_ERROR_LIMIT, "limit");
  expect_failure(cs_rerank(NULL, kQuery, -1, kDocumentOf, NULL, 1, NULL, scores, 3, &error),
                 CS_ERROR_HANDLE, "reranker is NULL");
  expect_failure(cs_rerank((cs_reranker *)model, kQuery, -1, kDocumentOf, NULL, 1, NULL, scores, 3,
                           &error),
                 CS_ERROR_HANDLE, "another type");
  float vector[32];
  expect_failure(cs_encode((cs_model *)reranker, kDocumentOf, NULL, 1, NULL, vector, 32, &error),
                 CS_ERROR_HANDLE, "another type");
  assert_int_equal(cs_reranker_labels((cs_reranker *)model), CS_ERROR_HANDLE);
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.struct_size = 8;
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "CS_RERANK_OPTIONS_INIT");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.activation = "sigmiod";
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "sigmoid");
  options.activation = "softmax";
  const int32_t rising[3] = {0, 1, 3};
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "one label");
  expect_failure(cs_rerank_packed(reranker, "abc", rising, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "one label");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.max_length = 3;
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "leaves no room");
  expect_failure(cs_rerank_packed(reranker, "abc", rising, 1, &options, scores, 3, &error),
                 CS_ERROR_ARGUMENT, "leaves no room");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.cancel = cs_cancel_new(&error);
  cs_cancel_trigger((cs_cancel *)options.cancel);
  expect_failure(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
                 CS_ERROR_CANCELLED, "");
  cs_cancel_free((cs_cancel *)options.cancel);
  for (int i = 0; i < kDocuments; ++i) assert_true(scores[i] == 7);
  cs_config *config = cs_config_parse("{\"pooling\": \"mean\"}", &error);
  expect_null(cs_reranker_load(CONTRASTIVE_FIXTURES "/rerankers/bert", config, &error),
              CS_ERROR_ARGUMENT, "pooling");
  cs_config_free(config);
  expect_null(cs_reranker_load(CONTRASTIVE_FIXTURES "/families/bert", NULL, &error),
              CS_ERROR_MISMATCH, "classifier.weight");
  expect_null(cs_reranker_load(NULL, NULL, &error), CS_ERROR_ARGUMENT, "path is NULL");
  cs_model_free(model);
  cs_reranker_free(reranker);
  cs_reranker_free(reranker);
  cs_reranker_free(NULL);
}

static void *keep_scoring(void *reranker) {
  float scores[kDocuments];
  for (int round = 0; round < 200; ++round) {
    const cs_status status = cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL,
                                       scores, kDocuments, NULL);
    if (status == CS_ERROR_HANDLE) return NULL;
    if (status != CS_OK) return "another status";
    for (int i = 0; i < kDocuments; ++i) {
      if (!(fabsf(scores[i] - golden[i]) < 1e-5f)) return "another score";
    }
  }
  return NULL;
}

static void many_threads_score_while_it_is_freed(void **state) {
  (void)state;
  read_golden();
  cs_reranker *reranker = load_reranker("bert");
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, keep_scoring, reranker), 0);
  cs_reranker_free(reranker);
  for (int i = 0; i < 4; ++i) {
    void *problem = NULL;
    pthread_join(threads[i], &problem);
    if (problem != NULL) fail_msg("%s", (const char *)problem);
  }
}

static cs_dataset *triplets(void) {
  const char *const rows[3][3] = {{"a cat runs", "the cat ran", "red fish"},
                                  {"two birds", "birds in the air", "a house"},
                                  {"a dog", "the old dog", "the sun"}};
  cs_error *error = NULL;
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < 3; ++i)
    assert_int_equal(cs_dataset_add_texts(data, rows[i], NULL, 3, NAN, &error), CS_OK);
  return data;
}

static cs_config *keys_of(const char *json) {
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(json, &error);
  if (config == NULL) fail_msg("%s", cs_error_message(error));
  return config;
}

static float score_of(const cs_reranker *reranker) {
  const char *const document = "the cat ran";
  float score = 0;
  cs_error *error = NULL;
  assert_int_equal(cs_rerank(reranker, "a cat runs", -1, &document, NULL, 1, NULL, &score, 1,
                             &error),
                   CS_OK);
  return score;
}

static void it_trains_and_goes_on(void **state) {
  (void)state;
  char folder[] = "contrastive-rerank-XXXXXX", run[64], command[96];
  assert_non_null(mkdtemp(folder));
  snprintf(run, sizeof run, "%s/run", folder);
  cs_error *error = NULL;
  cs_reranker *start = load_reranker("bert");
  const float before = score_of(start);
  cs_dataset *data = triplets();
  cs_config *config = keys_of("{\"method\": \"reranker\", \"reranker.loss\": \"listwise\", "
                              "\"batch_size\": 2, \"max_steps\": 4, \"lr\": 0.01}");
  cs_trainer *whole = cs_reranker_trainer_new(start, data, config, &error);
  if (whole == NULL) fail_msg("%s", cs_error_message(error));
  for (int i = 0; i < 2; ++i) assert_int_equal(cs_train_step(whole, NULL, &error), CS_OK);
  assert_int_equal(cs_trainer_save(whole, run, &error), CS_OK);
  cs_trainer *resumed = cs_reranker_trainer_resume(run, start, data, NULL, &error);
  if (resumed == NULL) fail_msg("%s", cs_error_message(error));
  while (cs_train_step(whole, NULL, &error) == CS_OK)
    assert_int_equal(cs_train_step(resumed, NULL, &error), CS_OK);
  cs_reranker *one = cs_trainer_reranker(whole, 0, &error),
              *other = cs_trainer_reranker(resumed, 1, &error);
  assert_non_null(one);
  assert_non_null(other);
  assert_true(score_of(one) == score_of(other) && score_of(one) != before &&
              score_of(start) == before);

  expect_null(cs_trainer_model(whole, 0, &error), CS_ERROR_STATE, "trains a reranker");
  expect_null(cs_trainer_reranker(whole, 2, &error), CS_ERROR_ARGUMENT, "best is 2");
  expect_null(cs_reranker_trainer_new(NULL, data, config, &error), CS_ERROR_HANDLE,
              "reranker is NULL");
  expect_null(cs_reranker_trainer_resume(NULL, start, data, NULL, &error), CS_ERROR_ARGUMENT,
              "path is NULL");
  expect_null(cs_reranker_trainer_resume(run, NULL, data, NULL, &error), CS_ERROR_HANDLE,
              "reranker is NULL");
  cs_config *other_method = keys_of("{\"method\": \"simcse\", \"max_steps\": 1}");
  expect_null(cs_reranker_trainer_new(start, data, other_method, &error), CS_ERROR_ARGUMENT,
              "trains sentence encoders");
  cs_config_free(other_method);
  cs_reranker_free(one);
  cs_reranker_free(other);
  cs_trainer_free(whole);
  cs_trainer_free(resumed);
  cs_config_free(config);
  cs_dataset_free(data);
  cs_reranker_free(start);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

static void a_sentence_encoder_becomes_one(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_dataset *data = triplets();
  cs_config *config = keys_of("{\"method\": \"reranker\", \"batch_size\": 3, \"max_steps\": 1}");
  cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
  if (trainer == NULL) fail_msg("%s", cs_error_message(error));
  assert_int_equal(cs_train_step(trainer, NULL, &error), CS_OK);
  cs_reranker *reranker = cs_trainer_reranker(trainer, 0, &error);
  assert_int_equal(cs_reranker_labels(reranker), 1);
  cs_reranker_free(reranker);
  cs_trainer_free(trainer);
  cs_config_free(config);
  config = keys_of("{\"method\": \"simcse\", \"batch_size\": 3, \"max_steps\": 1}");
  trainer = cs_trainer_new(model, data, config, &error);
  expect_null(cs_trainer_reranker(trainer, 0, &error), CS_ERROR_STATE, "trains a sentence encoder");
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_dataset_free(data);
  cs_model_free(model);
}

static void it_guides_mining(void **state) {
  (void)state;
  char folder[] = "contrastive-rerank-XXXXXX", output[64], command[96];
  assert_non_null(mkdtemp(folder));
  snprintf(output, sizeof output, "%s/mined.jsonl", folder);
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_reranker *guide = load_reranker("bert"), *labels = load_reranker("bert_labels");
  cs_dataset *data = triplets();
  cs_config *config = keys_of("{\"relative_margin\": -1e9, \"num_negatives\": 2}");
  char *report = cs_mine_reranked(model, guide, data, NULL, output, config, NULL, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  assert_non_null(strstr(report, "\"negatives\":6"));
  cs_string_free(report);
  expect_null(cs_mine_reranked(model, NULL, data, NULL, output, config, NULL, &error),
              CS_ERROR_HANDLE, "guide is NULL");
  expect_null(cs_mine_reranked(NULL, guide, data, NULL, output, config, NULL, &error),
              CS_ERROR_HANDLE, "model is NULL");
  expect_null(cs_mine_reranked(model, labels, data, NULL, output, config, NULL, &error),
              CS_ERROR_ARGUMENT, "3 labels");
  cs_config_free(config);
  cs_dataset_free(data);
  cs_reranker_free(guide);
  cs_reranker_free(labels);
  cs_model_free(model);
  snprintf(command, sizeof command, "rm -r '%s'", folder);
  assert_int_equal(system(command), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(scores_are_those_of_the_reference),
                                     leak_checked(both_forms_of_texts_give_the_same),
                                     leak_checked(options_change_what_they_say),
                                     leak_checked(several_labels_have_a_score_each),
                                     leak_checked(it_is_saved_and_loaded),
                                     leak_checked(arguments_are_checked),
                                     leak_checked(it_trains_and_goes_on),
                                     leak_checked(a_sentence_encoder_becomes_one),
                                     leak_checked(it_guides_mining),
                                     leak_checked(many_threads_score_while_it_is_freed)};
  return cmocka_run_group_tests_name("rerank", tests, NULL, NULL);
}
