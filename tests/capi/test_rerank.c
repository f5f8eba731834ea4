/* Rerankers: values, both forms of the texts, options, labels, kinds, saving, bad input,
 * cancelling, evaluation, and many threads on one reranker while it is freed. */
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

static cs_model *load_reranker(const char *name) {
  char path[512];
  cs_error *error = NULL;
  snprintf(path, sizeof path, CONTRASTIVE_FIXTURES "/rerankers/%s", name);
  cs_model *reranker = cs_model_load(path, NULL, &error);
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
  cs_model *reranker = load_reranker("bert");
  assert_int_equal(cs_model_labels(reranker), 1);
  assert_int_equal(cs_model_max_length(reranker), 48);
  float scores[kDocuments];
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, scores, kDocuments,
                      &error));
  for (int i = 0; i < kDocuments; ++i) assert_true(fabsf(scores[i] - golden[i]) < 1e-5f);
  cs_model_free(reranker);
}

static void both_forms_of_texts_give_the_same(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *reranker = load_reranker("bert");
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
  cs_model_free(reranker);
}

static void options_change_what_they_say(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *reranker = load_reranker("bert");
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
  cs_model_free(reranker);
}

static void several_labels_have_a_score_each(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *reranker = load_reranker("bert_labels");
  assert_int_equal(cs_model_labels(reranker), 3);
  float scores[3 * kDocuments];
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.activation = "softmax";
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, &options, scores,
                      3 * kDocuments, &error));
  for (int i = 0; i < kDocuments; ++i)
    assert_true(fabsf(scores[3 * i] + scores[3 * i + 1] + scores[3 * i + 2] - 1) < 1e-5f);
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, scores,
                         kDocuments, &error),
               CS_ERROR_BUFFER, "9 are needed");
  char *info = cs_model_info(reranker, &error);
  assert_non_null(info);
  assert_non_null(strstr(info, "\"labels\":[\"contradiction\",\"entailment\",\"neutral\"]"));
  assert_non_null(strstr(info, "\"fingerprint\":\""));
  cs_string_free(info);
  cs_model_free(reranker);
}

static void it_is_saved_and_loaded(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-rerank-XXXXXX", path[64];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/saved", folder);
  cs_model *reranker = load_reranker("roberta");
  expect_ok(cs_model_save(reranker, path, &error));
  cs_model *again = cs_model_load(path, NULL, &error);
  assert_non_null(again);
  float a[kDocuments], b[kDocuments];
  expect_ok(
      cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, a, kDocuments, &error));
  expect_ok(
      cs_rerank(again, kQuery, -1, kDocumentOf, NULL, kDocuments, NULL, b, kDocuments, &error));
  assert_memory_equal(a, b, sizeof a);
  cs_model_free(reranker);
  cs_model_free(again);
  remove_tree(folder);
}

static void arguments_are_checked(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *reranker = load_reranker("bert");
  float scores[kDocuments] = {7, 7, 7};
  const char *const holed[2] = {"a", NULL};
  const int32_t falling[3] = {0, 2, 1};
  expect_ok(cs_rerank(reranker, kQuery, -1, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_ok(cs_rerank_packed(reranker, NULL, NULL, 0, NULL, NULL, 0, &error));
  expect_error(cs_rerank(reranker, NULL, -1, kDocumentOf, NULL, 1, NULL, scores, 3, &error),
               CS_ERROR_ARGUMENT, "query is NULL");
  expect_error(cs_rerank(reranker, kQuery, -1, holed, NULL, 2, NULL, scores, 3, &error),
               CS_ERROR_ARGUMENT, "documents[1] is NULL");
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 3, NULL, scores, 2, &error),
               CS_ERROR_BUFFER, "3 are needed");
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 3, NULL, NULL, 3, &error),
               CS_ERROR_ARGUMENT, "scores is NULL");
  expect_error(cs_rerank_packed(reranker, "abc", falling, 1, NULL, scores, 3, &error),
               CS_ERROR_ARGUMENT, "offsets[2]");
  expect_error(cs_rerank_packed(reranker, "abc", falling, -1, NULL, scores, 3, &error),
               CS_ERROR_ARGUMENT, "negative");
  expect_error(cs_rerank_packed(reranker, "abc", falling, INT64_MAX, NULL, scores, 3, &error),
               CS_ERROR_LIMIT, "limit");
  expect_error(cs_rerank(NULL, kQuery, -1, kDocumentOf, NULL, 1, NULL, scores, 3, &error),
               CS_ERROR_HANDLE, "model is NULL");
  cs_rerank_options options = CS_RERANK_OPTIONS_INIT;
  options.struct_size = 8;
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "CS_RERANK_OPTIONS_INIT");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.activation = "sigmiod";
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "sigmoid");
  options.activation = "softmax";
  const int32_t rising[3] = {0, 1, 3};
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "one label");
  expect_error(cs_rerank_packed(reranker, "abc", rising, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "one label");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.max_length = 3;
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "leaves no room");
  expect_error(cs_rerank_packed(reranker, "abc", rising, 1, &options, scores, 3, &error),
               CS_ERROR_ARGUMENT, "leaves no room");
  options = (cs_rerank_options)CS_RERANK_OPTIONS_INIT;
  options.cancel = cs_cancel_new(&error);
  cs_cancel_trigger((cs_cancel *)options.cancel);
  expect_error(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 1, &options, scores, 3, &error),
               CS_ERROR_CANCELLED, "cancelled");
  cs_cancel_free((cs_cancel *)options.cancel);
  for (int i = 0; i < kDocuments; ++i) assert_true(scores[i] == 7);
  cs_model_free(reranker);
  cs_model_free(reranker);
  cs_model_free(NULL);
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
  cs_model *reranker = load_reranker("bert");
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, keep_scoring, reranker), 0);
  cs_model_free(reranker);
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

static float score_of(const cs_model *reranker) {
  const char *const document = "the cat ran";
  float score = 0;
  cs_error *error = NULL;
  assert_int_equal(cs_rerank(reranker, "a cat runs", -1, &document, NULL, 1, NULL, &score, 1,
                             &error),
                   CS_OK);
  return score;
}

static void the_folder_decides_the_kind(void **state) {
  (void)state;
  cs_error *error = NULL;
  const struct {
    const char *folder, *keys;
    int32_t kind;
  } cases[] = {{"rerankers/bert", "{}", CS_KIND_RERANKER},
               {"rerankers/saved", "{}", CS_KIND_RERANKER},
               {"rerankers/bert", "{\"embeds\": false}", CS_KIND_RERANKER},
               {"rerankers/bert", "{\"pooling\": \"mean\"}", CS_KIND_ENCODER},
               {"rerankers/bert", "{\"kind\": \"encoder\", \"embeds\": false}", CS_KIND_ENCODER},
               {"models/bert_st", "{}", CS_KIND_ENCODER},
               {"models/bert_st", "{\"kind\": \"encoder\"}", CS_KIND_ENCODER}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
    char path[512];
    snprintf(path, sizeof path, CONTRASTIVE_FIXTURES "/%s", cases[i].folder);
    cs_config *config = keys_of(cases[i].keys);
    cs_model *model = cs_model_load(path, config, &error);
    if (model == NULL) fail_msg("%s: %s", cases[i].keys, cs_error_message(error));
    assert_int_equal(cs_model_kind(model), cases[i].kind);
    if (strcmp(cases[i].keys, "{}") == 0) assert_int_equal(cs_model_detect(path), cases[i].kind);
    char *info = cs_model_info(model, &error);
    assert_non_null(strstr(info, cases[i].kind == CS_KIND_RERANKER ? "\"kind\":\"reranker\""
                                                                   : "\"kind\":\"encoder\""));
    cs_string_free(info);
    cs_model_free(model);
    cs_config_free(config);
  }
  const struct {
    const char *folder, *keys, *message;
    cs_status status;
  } refused[] = {{"rerankers/bert", "{\"kind\": \"encoder\"}", "pooling", CS_ERROR_ARGUMENT},
                 {"rerankers/bert", "{\"kind\": \"reranker\", \"pooling\": \"mean\"}",
                  "kind = encoder", CS_ERROR_ARGUMENT},
                 {"rerankers/bert", "{\"adapter\": \"somewhere\"}", "adapter", CS_ERROR_ARGUMENT},
                 {"rerankers/bert", "{\"kind\": \"rerankr\"}", "reranker", CS_ERROR_ARGUMENT},
                 {"families/bert", "{\"kind\": \"reranker\"}", "classifier.weight",
                  CS_ERROR_MISMATCH}};
  for (size_t i = 0; i < sizeof refused / sizeof *refused; ++i) {
    char path[512];
    snprintf(path, sizeof path, CONTRASTIVE_FIXTURES "/%s", refused[i].folder);
    cs_config *config = keys_of(refused[i].keys);
    expect_error(cs_model_load(path, config, &error), refused[i].status, refused[i].message);
    cs_config_free(config);
  }
}

static void the_other_kind_is_told_its_call(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *reranker = load_reranker("bert");
  cs_model *encoder = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_dataset *data = triplets();
  float numbers[32] = {0};
  const int32_t offsets[3] = {0, 1, 2};
  expect_error(cs_rerank(encoder, kQuery, -1, kDocumentOf, NULL, 1, NULL, numbers, 1, &error),
               CS_ERROR_ARGUMENT, "cs_encode");
  expect_error(cs_rerank_packed(encoder, "ab", offsets, 1, NULL, numbers, 1, &error),
               CS_ERROR_ARGUMENT, "cs_encode");
  expect_error(cs_encode(reranker, kDocumentOf, NULL, 1, NULL, numbers, 32, &error),
               CS_ERROR_ARGUMENT, "cs_rerank");
  expect_error(cs_encode_packed(reranker, "ab", offsets, 1, NULL, numbers, 32, &error),
               CS_ERROR_ARGUMENT, "cs_rerank");
  expect_error(cs_encode_dimension(reranker, NULL, &error), CS_ERROR_ARGUMENT, "cs_rerank");
  expect_error(cs_adapt(reranker, data, NULL, "never", NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "cs_trainer_new");
  assert_int_equal(cs_model_dimension(reranker), CS_ERROR_ARGUMENT);
  assert_int_equal(cs_model_labels(encoder), CS_ERROR_ARGUMENT);
  assert_int_equal(cs_model_detect("no such folder"), CS_KIND_ENCODER);
  assert_int_equal(cs_model_detect(NULL), CS_ERROR_ARGUMENT);
  assert_int_equal(cs_model_kind(NULL), CS_ERROR_HANDLE);
  assert_int_equal(cs_model_labels(NULL), CS_ERROR_HANDLE);
  /* Functions that work for both kinds. */
  int32_t count = 0;
  expect_ok(cs_tokenize(reranker, kQuery, -1, 0, NULL, NULL, NULL, 0, &count, &error));
  assert_true(count > 2);
  cs_model *copy = cs_model_snapshot(reranker, &error);
  assert_true(copy != NULL && score_of(copy) == score_of(reranker));
  cs_model_free(copy);
  cs_dataset_free(data);
  cs_model_free(encoder);
  cs_model_free(reranker);
}

static void write_text(const char *path, const char *text) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fputs(text, file);
  fclose(file);
}

static char *evaluation(const cs_model *model, const char *task, const char *keys,
                        cs_error **error) {
  cs_config *config = keys_of(keys);
  char *report = cs_evaluate(model, task, config, NULL, error);
  cs_config_free(config);
  return report;
}

static void it_is_evaluated(void **state) {
  (void)state;
  char folder[] = "contrastive-rerank-XXXXXX", path[64], keys[160];
  cs_error *error = NULL;
  assert_non_null(mkdtemp(folder));
  cs_model *reranker = load_reranker("bert"), *labels = load_reranker("bert_labels");
  cs_model *encoder = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);

  /* The order of the scores is the gold order, so the rank correlation is 1. */
  float scores[kDocuments];
  char lines[512] = "";
  expect_ok(cs_rerank(reranker, kQuery, -1, kDocumentOf, NULL, 2, NULL, scores, 2, &error));
  snprintf(lines, sizeof lines, "%.9g\t%s\t%s\n%.9g\t%s\t%s\n", (double)scores[0], kQuery,
           kDocumentOf[0], (double)scores[1], kQuery, kDocumentOf[1]);
  snprintf(path, sizeof path, "%s/sts.tsv", folder);
  write_text(path, lines);
  snprintf(keys, sizeof keys, "{\"data\": \"%s\"}", path);
  char *report = evaluation(reranker, "sts", keys, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  assert_non_null(strstr(report, "\"spearman\":{\"all\":1.0"));
  cs_string_free(report);
  snprintf(keys, sizeof keys, "{\"data\": \"%s\", \"encode.pooling\": \"mean\"}", path);
  expect_error(evaluation(reranker, "sts", keys, &error), CS_ERROR_ARGUMENT, "encode.pooling");
  snprintf(keys, sizeof keys, "{\"data\": \"%s\", \"similarity\": \"dot\"}", path);
  expect_error(evaluation(reranker, "sts", keys, &error), CS_ERROR_ARGUMENT, "similarity");
  snprintf(keys, sizeof keys, "{\"data\": \"%s\"}", path);
  expect_error(evaluation(labels, "sts", keys, &error), CS_ERROR_ARGUMENT, "3 labels");
  expect_error(evaluation(reranker, "geometry", keys, &error), CS_ERROR_ARGUMENT,
               "tasks for rerankers are sts, reranking");
  expect_error(evaluation(reranker, "stss", keys, &error), CS_ERROR_ARGUMENT, "'sts'");

  /* The better of two documents is the right one, then the wrong one. */
  const int best = scores[0] > scores[1] ? 0 : 1;
  for (int right = 0; right < 2; ++right) {
    snprintf(lines, sizeof lines, "%s\t%s\t%s\nanother\tsame\tsame\n", kQuery, kDocumentOf[right],
             kDocumentOf[1 - right]);
    snprintf(path, sizeof path, "%s/ranked.tsv", folder);
    write_text(path, lines);
    snprintf(keys, sizeof keys, "{\"data\": \"%s\", \"k\": [1, 10]}", path);
    report = evaluation(reranker, "reranking", keys, &error);
    if (report == NULL) fail_msg("%s", cs_error_message(error));
    assert_non_null(strstr(report, "\"queries\":1,"));
    assert_non_null(strstr(report, right == best ? "\"mrr@10\":1.0" : "\"mrr@10\":0.5"));
    assert_non_null(strstr(report, right == best ? "\"map\":1.0" : "\"map\":0.5"));
    cs_string_free(report);
    report = evaluation(encoder, "reranking", keys, &error);
    if (report == NULL) fail_msg("%s", cs_error_message(error));
    assert_non_null(strstr(report, "\"ndcg@10\":"));
    cs_string_free(report);
  }
  cs_model_free(encoder);
  cs_model_free(labels);
  cs_model_free(reranker);
  remove_tree(folder);
}

static void it_trains_and_goes_on(void **state) {
  (void)state;
  char folder[] = "contrastive-rerank-XXXXXX", run[64];
  assert_non_null(mkdtemp(folder));
  snprintf(run, sizeof run, "%s/run", folder);
  cs_error *error = NULL;
  cs_model *start = load_reranker("bert");
  const float before = score_of(start);
  cs_dataset *data = triplets();
  cs_config *config = keys_of("{\"method\": \"reranker\", \"reranker.loss\": \"listwise\", "
                              "\"batch_size\": 2, \"max_steps\": 4, \"lr\": 0.01}");
  cs_trainer *whole = cs_trainer_new(start, data, config, &error);
  if (whole == NULL) fail_msg("%s", cs_error_message(error));
  for (int i = 0; i < 2; ++i) assert_int_equal(cs_train_step(whole, NULL, &error), CS_OK);
  assert_int_equal(cs_trainer_save(whole, run, &error), CS_OK);
  cs_trainer *resumed = cs_trainer_resume(run, start, data, NULL, &error);
  if (resumed == NULL) fail_msg("%s", cs_error_message(error));
  while (cs_train_step(whole, NULL, &error) == CS_OK)
    assert_int_equal(cs_train_step(resumed, NULL, &error), CS_OK);
  cs_model *one = cs_trainer_model(whole, 0, &error), *other = cs_trainer_model(resumed, 1, &error);
  assert_non_null(one);
  assert_non_null(other);
  assert_true(score_of(one) == score_of(other) && score_of(one) != before &&
              score_of(start) == before);

  expect_error(cs_trainer_model(whole, 2, &error), CS_ERROR_ARGUMENT, "best is 2");
  expect_error(cs_trainer_new(NULL, data, config, &error), CS_ERROR_HANDLE, "model is NULL");
  expect_error(cs_trainer_resume(NULL, start, data, NULL, &error), CS_ERROR_ARGUMENT,
               "path is NULL");
  expect_error(cs_trainer_resume(run, NULL, data, NULL, &error), CS_ERROR_HANDLE, "model is NULL");
  cs_config *other_method = keys_of("{\"method\": \"simcse\", \"max_steps\": 1}");
  expect_error(cs_trainer_new(start, data, other_method, &error), CS_ERROR_ARGUMENT,
               "trains sentence encoders");
  cs_config_free(other_method);
  cs_model_free(one);
  cs_model_free(other);
  cs_trainer_free(whole);
  cs_trainer_free(resumed);
  cs_config_free(config);
  cs_dataset_free(data);
  cs_model_free(start);
  remove_tree(folder);
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
  cs_model *reranker = cs_trainer_model(trainer, 0, &error);
  assert_int_equal(cs_model_kind(reranker), CS_KIND_RERANKER);
  assert_int_equal(cs_model_labels(reranker), 1);
  cs_model_free(reranker);
  cs_trainer_free(trainer);
  cs_config_free(config);
  config = keys_of("{\"method\": \"simcse\", \"batch_size\": 3, \"max_steps\": 1}");
  trainer = cs_trainer_new(model, data, config, &error);
  cs_model *encoder = cs_trainer_model(trainer, 0, &error);
  assert_int_equal(cs_model_kind(encoder), CS_KIND_ENCODER);
  cs_model_free(encoder);
  cs_trainer_free(trainer);
  cs_config_free(config);
  cs_dataset_free(data);
  cs_model_free(model);
}

static void it_guides_mining(void **state) {
  (void)state;
  char folder[] = "contrastive-rerank-XXXXXX", output[64];
  assert_non_null(mkdtemp(folder));
  snprintf(output, sizeof output, "%s/mined.jsonl", folder);
  cs_error *error = NULL;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  cs_model *guide = load_reranker("bert"), *labels = load_reranker("bert_labels");
  cs_dataset *data = triplets();
  cs_config *config = keys_of("{\"relative_margin\": -1e9, \"num_negatives\": 2}");
  char *report = cs_mine(model, guide, data, NULL, output, config, NULL, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  assert_non_null(strstr(report, "\"negatives\":6"));
  cs_string_free(report);
  expect_error(cs_mine(guide, NULL, data, NULL, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "the reranker as guide");
  expect_error(cs_mine(NULL, guide, data, NULL, output, config, NULL, &error), CS_ERROR_HANDLE,
               "model is NULL");
  expect_error(cs_mine(model, labels, data, NULL, output, config, NULL, &error), CS_ERROR_ARGUMENT,
               "3 labels");
  cs_config_free(config);
  cs_dataset_free(data);
  cs_model_free(guide);
  cs_model_free(labels);
  cs_model_free(model);
  remove_tree(folder);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(scores_are_those_of_the_reference),
                                     leak_checked(both_forms_of_texts_give_the_same),
                                     leak_checked(options_change_what_they_say),
                                     leak_checked(several_labels_have_a_score_each),
                                     leak_checked(it_is_saved_and_loaded),
                                     leak_checked(arguments_are_checked),
                                     leak_checked(the_folder_decides_the_kind),
                                     leak_checked(the_other_kind_is_told_its_call),
                                     leak_checked(it_is_evaluated),
                                     leak_checked(it_trains_and_goes_on),
                                     leak_checked(a_sentence_encoder_becomes_one),
                                     leak_checked(it_guides_mining),
                                     leak_checked(many_threads_score_while_it_is_freed)};
  return cmocka_run_group_tests_name("rerank", tests, NULL, NULL);
}
