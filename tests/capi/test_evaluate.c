/* Evaluation through the C API. tests/core/eval tests what the tasks compute; this tests the
 * contract of the calls. */
#include <pthread.h>
#include <semaphore.h>
#include <unistd.h>

#include "models.h"
#include "support.h"

static void evaluation_reports_figures(void **state) {
  (void)state;
  cs_error *error = NULL;
  char path[] = "contrastive-sts-XXXXXX", json[256];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  const char text[] = "5\tthe cat sat\tthe cat sat\n1\tthe cat sat\ttwo birds fly\n3\ta dog\tthe "
                      "dog\n0\tred\tclosed house\n";
  assert_int_equal(write(file, text, sizeof text - 1), (ssize_t)sizeof text - 1);
  close(file);
  cs_model *model = load_bert();
  snprintf(json, sizeof json, "{\"data\": \"%s\"}", path);
  cs_config *config = cs_config_parse(json, &error);
  char *report = cs_evaluate(model, "sts", config, NULL, &error);
  if (report == NULL) fail_msg("%s", cs_error_message(error));
  for (const char *const *key = (const char *const[]){"\"spearman\"", "\"pearson\"", "\"all\"",
                                                      "\"mean\"", "\"wmean\"", "\"subsets\"", NULL};
       *key; ++key) {
    assert_non_null(strstr(report, *key));
  }
  cs_string_free(report);
  char *outline = cs_evaluate_outline("sts", config, &error);
  if (outline == NULL) fail_msg("%s", cs_error_message(error));
  assert_non_null(strstr(outline, "\"spearman\":{\"all\":null,"));
  assert_non_null(strstr(outline, "\"pairs\":4")); /* the data were read */
  cs_string_free(outline);
  expect_error(cs_evaluate_outline("stss", config, &error), CS_ERROR_ARGUMENT,
               "did you mean 'sts'");
  expect_error(cs_evaluate_outline(NULL, config, &error), CS_ERROR_ARGUMENT, "task is NULL");
  expect_error(cs_evaluate_outline("sts", NULL, &error), CS_ERROR_HANDLE, "config is NULL");
  expect_error(cs_evaluate(model, "stss", config, NULL, &error), CS_ERROR_ARGUMENT,
               "did you mean 'sts'");
  expect_error(cs_evaluate(model, NULL, config, NULL, &error), CS_ERROR_ARGUMENT, "task is NULL");
  expect_error(cs_evaluate(model, "sts", NULL, NULL, &error), CS_ERROR_HANDLE, "config is NULL");
  expect_error(cs_evaluate(NULL, "sts", config, NULL, &error), CS_ERROR_HANDLE, "model is NULL");
  cs_cancel *cancel = cs_cancel_new(&error);
  cs_cancel_trigger(cancel);
  expect_error(cs_evaluate(model, "sts", config, cancel, &error), CS_ERROR_CANCELLED, "cancelled");
  cs_cancel_free(cancel);
  cs_config_set(config, "dta", "x", &error);
  expect_error(cs_evaluate(model, "sts", config, NULL, &error), CS_ERROR_ARGUMENT,
               "did you mean 'data'");
  expect_error(cs_evaluate_outline("sts", config, &error), CS_ERROR_ARGUMENT,
               "did you mean 'data'");
  cs_config_free(config);
  config = cs_config_parse("{\"data\": \"/nowhere/sts.tsv\"}", &error);
  expect_error(cs_evaluate_outline("sts", config, &error), CS_ERROR_NOT_FOUND, "/nowhere/sts.tsv");
  cs_config_free(config);
  cs_model_free(model);
  unlink(path);
}

/* An evaluation that waits in the middle, in the log sink that receives its warning. */
struct held_evaluation {
  cs_model *model;
  cs_config *config;
  sem_t reached, go_on;
  char *report;
};

static void hold(int32_t level, const char *message, void *user) {
  (void)level;
  struct held_evaluation *held = user;
  if (strstr(message, "without a score") == NULL) return;
  sem_post(&held->reached);
  sem_wait(&held->go_on);
}

static void *evaluate_held(void *user) {
  struct held_evaluation *held = user;
  held->report = cs_evaluate(held->model, "sts", held->config, NULL, NULL);
  return NULL;
}

static void a_config_is_free_while_a_task_runs(void **state) {
  (void)state;
  cs_error *error = NULL;
  char path[] = "contrastive-sts-XXXXXX", json[256];
  const int file = mkstemp(path);
  assert_true(file >= 0);
  const char text[] = "5\tthe cat sat\tthe cat sat\n\tnot\tscored\n0\tred\tclosed house\n";
  assert_int_equal(write(file, text, sizeof text - 1), (ssize_t)sizeof text - 1);
  close(file);
  snprintf(json, sizeof json, "{\"data\": \"%s\"}", path);
  struct held_evaluation held = {.model = load_bert(), .config = cs_config_parse(json, &error)};
  sem_init(&held.reached, 0, 0);
  sem_init(&held.go_on, 0, 0);
  expect_ok(cs_set_log_sink(hold, CS_LOG_WARNING, &held, &error));
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, evaluate_held, &held), 0);
  sem_wait(&held.reached);
  const cs_status changed = cs_config_set(held.config, "data", "another.tsv", NULL);
  sem_post(&held.go_on);
  pthread_join(thread, NULL);
  expect_ok(cs_set_log_sink(NULL, CS_LOG_INFO, NULL, &error));
  assert_int_equal(changed, CS_OK);
  assert_non_null(held.report); /* the task still has the keys that it started with */
  cs_string_free(held.report);
  sem_destroy(&held.reached);
  sem_destroy(&held.go_on);
  cs_config_free(held.config);
  cs_model_free(held.model);
  unlink(path);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(evaluation_reports_figures),
                                     leak_checked(a_config_is_free_while_a_task_runs)};
  return cmocka_run_group_tests_name("evaluate", tests, NULL, NULL);
}
