/* Training runs through the C API. tests/core/torch/run tests what training computes;
 * this tests the contract of the calls. */
#include <math.h>
#include <pthread.h>
#include <unistd.h>

#include "models.h"
#include "pairs.h"
#include "support.h"

#define CONFIG(more)                                                                          \
  "{\"method\": \"clsr\", \"batch_size\": 4, \"max_steps\": 6, \"lr\": 0.01, \"optimizer\": " \
  "\"adamw\"" more "}"

static cs_trainer *begin(cs_model *model, cs_dataset *data, const char *json) {
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(json, &error);
  cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
  if (trainer == NULL) fail_msg("%s", cs_error_message(error));
  cs_config_free(config);
  return trainer;
}

static void a_config_is_checked_alone(void **state) {
  (void)state;
  cs_error *error = NULL;
  const char *const bad[][2] = {{CONFIG(", \"bach_size\": 4"), "batch_size"},
                                {CONFIG(", \"warmup_steps\": 7"), "warmup_steps"},
                                {CONFIG(", \"save_every\": 2"), "checkpoints"},
                                {CONFIG(", \"amp\": \"float16\", \"device\": \"cpu\""), "amp"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    cs_config *config = cs_config_parse(bad[i][0], &error);
    expect_error(cs_trainer_check(config, NULL, NULL, &error), CS_ERROR_ARGUMENT, bad[i][1]);
    cs_config_free(config);
  }
  cs_config *config = cs_config_parse(CONFIG(), &error);
  expect_ok(cs_trainer_check(config, NULL, NULL, &error));
  cs_config_free(config);
  expect_error(cs_trainer_check(NULL, NULL, NULL, &error), CS_ERROR_HANDLE, "config is NULL");
}

static void a_config_is_checked_against_a_model(void **state) {
  (void)state;
  cs_error *error = NULL;
  const char *const folder = CONTRASTIVE_FIXTURES "/models/bert_st"; /* 2 layers, 40 positions */
  const char *const bad[][2] = {
      {"{\"method\": \"sgopt\", \"sgopt.lmax\": 9}", "'sgopt.lmax' is 9"},
      {"{\"method\": \"sgopt\", \"sgopt.lmin\": 3}", "'sgopt.lmin' is 3"},
      {"{\"method\": \"sgopt\", \"sgopt.objective\": \"sg\", \"sgopt.layer_weights\": [1, 1]}",
       "sgopt.layer_weights"},
      {"{\"method\": \"consert\", \"consert.eval_pooling\": \"layer:7:mean\"}",
       "consert.eval_pooling"},
      {"{\"method\": \"consert\", \"consert.max_length\": 100000}", "consert.max_length"},
      {"{\"method\": \"simcse\", \"simcse.pooling\": \"layer:7:mean\"}", "simcse.pooling"},
      {"{\"method\": \"mnrl\", \"mnrl.max_length\": 100000}", "mnrl.max_length"},
      {"{\"method\": \"clear\", \"clear.max_length\": 100000}", "clear.max_length"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    cs_config *config = cs_config_parse(bad[i][0], &error);
    expect_ok(cs_trainer_check(config, NULL, NULL, &error));
    expect_error(cs_trainer_check(config, NULL, folder, &error), CS_ERROR_ARGUMENT, bad[i][1]);
    cs_config_free(config);
  }
  cs_config *config = cs_config_parse("{\"method\": \"sgopt\"}", &error);
  expect_ok(cs_trainer_check(config, NULL, folder, &error));
  expect_error(cs_trainer_check(config, NULL, "/nowhere", &error), CS_ERROR_NOT_FOUND, "/nowhere");
  cs_config_free(config);
}

static void a_config_is_checked_against_examples_and_files(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_dataset *data = fill(); /* 8 pairs without labels */
  const char *const bad[][2] = {
      {"{\"method\": \"simcse\", \"epochs\": 1, \"warmup_steps\": 1000}",
       "'warmup_steps' requests"},
      {"{\"method\": \"consert\", \"consert.mode\": \"joint\", \"consert.view2\": \"adversarial\"}",
       "'consert.mode' is joint"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    cs_config *config = cs_config_parse(bad[i][0], &error);
    expect_ok(cs_trainer_check(config, NULL, NULL, &error));
    expect_error(cs_trainer_check(config, data, NULL, &error), CS_ERROR_ARGUMENT, bad[i][1]);
    cs_config_free(config);
  }
  cs_config *config = cs_config_parse(CONFIG(", \"dev\": \"nofile\""), &error);
  expect_ok(cs_trainer_check(config, NULL, NULL, &error));
  expect_error(cs_trainer_check(config, data, NULL, &error), CS_ERROR_NOT_FOUND, "'dev': nofile");
  cs_config_free(config);
  config = cs_config_parse(CONFIG(), &error);
  expect_ok(cs_trainer_check(config, data, CONTRASTIVE_FIXTURES "/models/bert_st", &error));
  expect_ok(cs_dataset_add(data, "one more", -1, "more than one", -1, NAN,
                           &error)); /* a check keeps nothing */
  cs_dataset_free(data);
  expect_error(cs_trainer_check(config, data, NULL, &error), CS_ERROR_HANDLE, "data");
  cs_config_free(config);
  config = cs_config_parse("{\"method\": \"simcse\", \"precision\": \"bfloat16\"}", &error);
  expect_error(cs_trainer_check(config, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "'precision' is bfloat16");
  cs_config_free(config);
}

static void a_run_steps_to_its_end(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  cs_trainer *trainer = begin(model, data, CONFIG());
  expect_error(cs_dataset_add(data, "a", -1, "b", -1, NAN, &error), CS_ERROR_STATE, "trainer");
  cs_model_free(model); /* in any order */
  cs_dataset_free(data);
  assert_true(isnan(cs_trainer_metric(trainer, "loss")));
  for (int i = 1; i <= 6; ++i) {
    expect_ok(cs_train_step(trainer, NULL, &error));
    assert_true(isfinite(cs_trainer_metric(trainer, "loss")));
    assert_true(cs_trainer_metric(trainer, "step") == i);
  }
  assert_int_equal(cs_train_step(trainer, NULL, &error), CS_DONE);
  assert_null(error);
  assert_true(isnan(cs_trainer_metric(trainer, "no such metric")));
  assert_true(isnan(cs_trainer_metric(trainer, NULL)));
  assert_true(isnan(cs_trainer_metric(NULL, "loss")));

  char *metrics = cs_trainer_metrics(trainer, &error), *config = cs_trainer_config(trainer, &error);
  assert_non_null(strstr(metrics, "\"total_steps\":6"));
  assert_non_null(strstr(config, "\"batch_size\":4"));
  assert_non_null(strstr(config, "\"clsr.temperature\":"));
  cs_string_free(metrics);
  cs_string_free(config);
  expect_error(cs_trainer_evaluate(trainer, NULL, &error), CS_ERROR_STATE, "dev");
  cs_trainer_free(trainer);
  expect_error(cs_train_step(trainer, NULL, &error), CS_ERROR_HANDLE, "trainer");
}

static void the_trained_model_is_a_model(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  cs_trainer *trainer = begin(model, data, CONFIG(", \"clsr.dimension\": 8, \"clsr.hidden\": 8"));
  float before[32], after[32], trained_vector[8];
  expect_ok(cs_encode(model, &kPairs[0][0], NULL, 1, NULL, before, 32, &error));
  for (int i = 0; i < 6; ++i) expect_ok(cs_train_step(trainer, NULL, &error));
  expect_ok(cs_encode(model, &kPairs[0][0], NULL, 1, NULL, after, 32, &error));
  assert_memory_equal(before, after,
                      sizeof before); /* training does not change the model that it reads */
  cs_model *trained = cs_trainer_model(trainer, 0, &error);
  assert_non_null(trained);
  expect_error(cs_trainer_model(trainer, 2, &error), CS_ERROR_ARGUMENT, "best is 2");
  cs_trainer_free(trainer);
  assert_int_equal(cs_model_dimension(trained), 8);
  expect_ok(cs_encode(trained, &kPairs[0][0], NULL, 1, NULL, trained_vector, 8, &error));
  cs_model_free(trained);
  cs_dataset_free(data);
  cs_model_free(model);
}

static void a_saved_run_goes_on(void **state) {
  (void)state;
  cs_error *error = NULL;
  char folder[] = "contrastive-run-XXXXXX", path[256];
  assert_non_null(mkdtemp(folder));
  snprintf(path, sizeof path, "%s/run", folder);
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  cs_trainer *whole = begin(model, data, CONFIG()), *half = begin(model, data, CONFIG());
  for (int i = 0; i < 3; ++i) expect_ok(cs_train_step(half, NULL, &error));
  expect_ok(cs_trainer_save(half, path, &error));
  cs_trainer_free(half);
  cs_trainer *resumed = cs_trainer_resume(path, model, data, NULL, &error);
  assert_non_null(resumed);
  for (int i = 0; i < 6; ++i) expect_ok(cs_train_step(whole, NULL, &error));
  for (int i = 0; i < 3; ++i) expect_ok(cs_train_step(resumed, NULL, &error));
  assert_int_equal(cs_train_step(resumed, NULL, &error), CS_DONE);
  const double a = cs_trainer_metric(whole, "loss"), b = cs_trainer_metric(resumed, "loss");
  assert_memory_equal(&a, &b, sizeof a);

  cs_config *other = cs_config_parse("{\"batch_size\": 8}", &error);
  expect_error(cs_trainer_resume(path, model, data, other, &error), CS_ERROR_MISMATCH,
               "batch_size");
  expect_error(cs_trainer_resume(folder, model, data, NULL, &error), CS_ERROR_NOT_FOUND, folder);
  expect_error(cs_trainer_resume(NULL, model, data, NULL, &error), CS_ERROR_ARGUMENT,
               "path is NULL");
  cs_config_free(other);
  cs_trainer_free(resumed);
  cs_trainer_free(whole);
  cs_dataset_free(data);
  cs_model_free(model);
  remove_tree(folder);
}

static void batches_may_come_from_the_caller(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_trainer *pointers = begin(model, NULL, CONFIG()), *packed = begin(model, NULL, CONFIG());
  char data[512];
  int32_t offsets[17] = {0};
  for (int i = 0; i < 16; ++i) {
    const char *text = kPairs[i / 2][i % 2];
    memcpy(data + offsets[i], text, strlen(text));
    offsets[i + 1] = offsets[i] + (int32_t)strlen(text);
  }
  const char *const *texts = &kPairs[0][0];
  for (int i = 0; i < 2; ++i) {
    expect_ok(cs_train_batch(pointers, texts, NULL, 8, 2, NULL, NULL, &error));
    expect_ok(cs_train_batch_packed(packed, data, offsets, 8, 2, NULL, NULL, &error));
  }
  const double a = cs_trainer_metric(pointers, "loss"), b = cs_trainer_metric(packed, "loss");
  assert_true(isfinite(a));
  assert_memory_equal(&a, &b, sizeof a);
  expect_error(cs_train_step(packed, NULL, &error), CS_ERROR_STATE, "dataset");
  expect_error(cs_train_batch(packed, texts, NULL, 1, 2, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "one example");
  expect_error(cs_train_batch(packed, texts, NULL, 0, 2, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "n_examples is 0");
  expect_error(cs_train_batch(packed, texts, NULL, 2, 0, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "columns is 0");
  expect_error(cs_train_batch(packed, texts, NULL, 2, 65, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "columns is 65");
  expect_ok(cs_train_batch(packed, texts, NULL, 4, 4, NULL, NULL,
                           &error)); /* pairs with two hard negatives, which CLSR ignores */
  expect_error(cs_train_batch(packed, NULL, NULL, 2, 2, NULL, NULL, &error), CS_ERROR_ARGUMENT,
               "texts is NULL");
  expect_error(cs_train_batch_packed(packed, data, NULL, 2, 2, NULL, NULL, &error),
               CS_ERROR_ARGUMENT, "offsets is NULL");
  cs_trainer_free(packed);
  cs_trainer_free(pointers);
  cs_model_free(model);
}

static void bad_configs_are_refused_whole(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  const char *const bad[][2] = {{CONFIG(", \"bach_size\": 4"), "batch_size"},
                                {"{\"method\": \"clrs\"}", "clsr"},
                                {"{}", "method"},
                                {CONFIG(", \"clsr.temperature\": 0"), "clsr.temperature"},
                                {CONFIG(", \"seed\": -1"), "seed"},
                                {CONFIG(", \"lr_decay\": 7"), "lr_decay"}};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i) {
    cs_config *config = cs_config_parse(bad[i][0], &error);
    assert_non_null(config);
    expect_error(cs_trainer_new(model, data, config, &error), CS_ERROR_ARGUMENT, bad[i][1]);
    cs_config_free(config);
  }
  expect_error(cs_trainer_new(model, data, NULL, &error), CS_ERROR_HANDLE, "config is NULL");
  cs_config *config = cs_config_parse(CONFIG(), &error);
  expect_error(cs_trainer_new(NULL, data, config, &error), CS_ERROR_HANDLE, "model is NULL");
  expect_error(cs_trainer_new((cs_model *)data, data, config, &error), CS_ERROR_HANDLE,
               "another type");
  cs_config_free(config);
  expect_ok(cs_dataset_add(data, "still", -1, "growing", -1, NAN, &error)); /* no trainer uses it */
  cs_dataset_free(data);
  cs_model_free(model);
}

static void cancel_stops_before_a_step(void **state) {
  (void)state;
  cs_error *error = NULL;
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  cs_trainer *trainer = begin(model, data, CONFIG());
  cs_cancel *cancel = cs_cancel_new(&error);
  expect_ok(cs_train_step(trainer, cancel, &error));
  cs_cancel_trigger(cancel);
  expect_error(cs_train_step(trainer, cancel, &error), CS_ERROR_CANCELLED, "cancelled");
  assert_true(cs_trainer_metric(trainer, "step") == 1);
  expect_error(cs_train_batch(trainer, &kPairs[0][0], NULL, 8, 2, NULL, cancel, &error),
               CS_ERROR_CANCELLED, "cancelled");
  assert_true(cs_trainer_metric(trainer, "step") == 1);
  expect_ok(cs_train_step(trainer, NULL, &error));
  cs_cancel_free(cancel);
  expect_error(cs_trainer_evaluate(trainer, cancel, &error), CS_ERROR_HANDLE, "cancel");
  cs_trainer_free(trainer);
  cs_dataset_free(data);
  cs_model_free(model);
}

/* Two threads use one trainer: each call makes a step or returns BUSY, and the count of steps is
 * right. */
struct contest {
  cs_trainer *trainer;
  int stepped, busy, wrong;
};

static void *step_in_a_contest(void *argument) {
  struct contest *contest = argument;
  for (int i = 0; i < 400; ++i) {
    const cs_status status = cs_train_step(contest->trainer, NULL, NULL);
    __atomic_add_fetch(status == CS_OK           ? &contest->stepped
                       : status == CS_ERROR_BUSY ? &contest->busy
                                                 : &contest->wrong,
                       1, __ATOMIC_RELAXED);
  }
  return NULL;
}

static void a_second_thread_is_told_busy(void **state) {
  (void)state;
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  struct contest contest = {begin(model, data,
                                  "{\"method\": \"clsr\", \"batch_size\": 8, \"max_steps\": "
                                  "100000, \"optimizer\": \"adamw\"}"),
                            0, 0, 0};
  pthread_t threads[4];
  for (int i = 0; i < 4; ++i)
    assert_int_equal(pthread_create(&threads[i], NULL, step_in_a_contest, &contest), 0);
  for (int i = 0; i < 4; ++i) pthread_join(threads[i], NULL);
  assert_int_equal(contest.wrong, 0);
  assert_true(contest.busy > 0);
  assert_int_equal(contest.stepped + contest.busy, 1600);
  assert_true(cs_trainer_metric(contest.trainer, "step") == contest.stepped);
  cs_trainer_free(contest.trainer);
  cs_dataset_free(data);
  cs_model_free(model);
}

/* What a sink may call, and the errors of the calls that it must not make. */
struct sink_record {
  int messages;
  cs_status nested, replaced;
};

static void record_message(int32_t level, const char *message, void *user) {
  struct sink_record *record = user;
  record->messages += level == CS_LOG_INFO && strstr(message, "dev") != NULL;
  record->nested = cs_set_threads(1, NULL);
  record->replaced = cs_set_log_sink(NULL, CS_LOG_INFO, NULL, NULL);
}

static void messages_reach_the_sink(void **state) {
  (void)state;
  cs_error *error = NULL;
  struct sink_record record = {0, CS_OK, CS_OK};
  cs_model *model = load_bert();
  cs_dataset *data = fill();
  expect_ok(cs_set_log_sink(record_message, CS_LOG_INFO, &record, &error));
  cs_trainer_free(begin(model, data, CONFIG())); /* logs that there is no dev file */
  expect_ok(cs_set_log_sink(NULL, CS_LOG_INFO, NULL, &error));
  assert_true(record.messages > 0);
  assert_int_equal(record.nested, CS_ERROR_BUSY);
  assert_int_equal(record.replaced, CS_ERROR_BUSY);
  const int before = record.messages;
  cs_trainer_free(begin(model, data, CONFIG()));
  assert_int_equal(record.messages, before);
  cs_dataset_free(data);
  cs_model_free(model);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(a_config_is_checked_alone),
                                     leak_checked(a_config_is_checked_against_a_model),
                                     leak_checked(a_config_is_checked_against_examples_and_files),
                                     leak_checked(a_run_steps_to_its_end),
                                     leak_checked(the_trained_model_is_a_model),
                                     leak_checked(a_saved_run_goes_on),
                                     leak_checked(batches_may_come_from_the_caller),
                                     leak_checked(bad_configs_are_refused_whole),
                                     leak_checked(cancel_stops_before_a_step),
                                     leak_checked(a_second_thread_is_told_busy),
                                     leak_checked(messages_reach_the_sink)};
  return cmocka_run_group_tests_name("trainer", tests, NULL, NULL);
}
