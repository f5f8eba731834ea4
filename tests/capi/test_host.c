/* The library does not change the state of its host process: signals, rounding, locale,
 * environment, limits and standard streams. */
#include <fcntl.h>
#include <fenv.h>
#include <float.h>
#include <locale.h>
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support.h"

extern char **environ;

#define SIGNALS 65

typedef struct {
  struct sigaction actions[SIGNALS];
  sigset_t mask;
  mode_t umask;
  char folder[4096], locale[256], *environment;
  int rounding, priority;
  struct rlimit limits[RLIM_NLIMITS];
} host;

static void look(host *seen) {
  memset(seen, 0, sizeof *seen);
  for (int i = 1; i < SIGNALS; ++i)
    sigaction(i, NULL, &seen->actions[i]); /* the C library reserves two signals: those stay zero */
  pthread_sigmask(SIG_SETMASK, NULL, &seen->mask);
  seen->umask = umask(022);
  umask(seen->umask);
  assert_non_null(getcwd(seen->folder, sizeof seen->folder));
  snprintf(seen->locale, sizeof seen->locale, "%s", setlocale(LC_ALL, NULL));
  size_t length = 1;
  for (char **entry = environ; *entry != NULL; ++entry) length += strlen(*entry) + 1;
  seen->environment = calloc(length, 1);
  assert_non_null(seen->environment);
  for (char **entry = environ; *entry != NULL; ++entry)
    strcat(strcat(seen->environment, *entry), "\n");
  seen->rounding = fegetround();
  seen->priority = getpriority(PRIO_PROCESS, 0);
  for (int i = 0; i < RLIM_NLIMITS; ++i) getrlimit(i, &seen->limits[i]);
}

static void expect_same(const host *before, const host *after) {
  for (int i = 1; i < SIGNALS; ++i) {
    const struct sigaction *old = &before->actions[i], *now = &after->actions[i];
    if (old->sa_handler != now->sa_handler || old->sa_flags != now->sa_flags)
      fail_msg("the handler of signal %d was changed", i);
    for (int other = 1; other < SIGNALS; ++other) {
      if (sigismember(&old->sa_mask, other) != sigismember(&now->sa_mask, other))
        fail_msg("the mask of the handler of signal %d was changed", i);
    }
    if (sigismember(&before->mask, i) != sigismember(&after->mask, i))
      fail_msg("the blocking of signal %d was changed", i);
  }
  assert_int_equal(before->umask, after->umask);
  assert_string_equal(before->folder, after->folder);
  assert_string_equal(before->locale, after->locale);
  assert_string_equal(before->environment, after->environment);
  assert_int_equal(before->rounding, after->rounding);
  assert_int_equal(before->priority, after->priority);
  for (int i = 0; i < RLIM_NLIMITS; ++i) {
    const struct rlimit *old = &before->limits[i], *now = &after->limits[i];
    if (old->rlim_cur != now->rlim_cur || old->rlim_max != now->rlim_max)
      fail_msg("resource limit %d was changed", i);
  }
}

/* Denormal numbers are not flushed to zero, in this thread and in a new one. */
static void *small_numbers_are_kept(void *kept) {
  volatile double small = DBL_MIN;
  small /= 4;
  *(int *)kept = small > 0 && small * 4 == DBL_MIN;
  return NULL;
}

static int redirect(int output, FILE *to) {
  fflush(NULL);
  const int kept = dup(output);
  assert_true(kept >= 0 && dup2(fileno(to), output) == output);
  return kept;
}

static long restore(int output, int kept, FILE *written) {
  fflush(NULL);
  assert_true(dup2(kept, output) == output);
  close(kept);
  struct stat status;
  assert_int_equal(fstat(fileno(written), &status), 0);
  return (long)status.st_size;
}

static cs_status use_the_library(char *why, size_t room) {
  static const char *const kPairs[4][2] = {{"the cat sat", "a cat sits"},
                                           {"a dog runs", "the dog ran"},
                                           {"two birds fly", "birds in the air"},
                                           {"it is closed", "closed today"}};
  static const char *const kConfigs[] = {
      "{\"method\": \"mnrl\", \"batch_size\": 4, \"max_steps\": 2, \"dist\": {\"mode\": "
      "\"threads\", \"devices\": [\"cpu\", \"cpu\"]}}",
      "{\"method\": \"consert\", \"batch_size\": 4, \"max_steps\": 2}",
      "{\"method\": \"sgopt\", \"batch_size\": 4, \"max_steps\": 2}"};
  cs_error *error = NULL;
  cs_status status = CS_OK;
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, &error);
  const int64_t size = model != NULL ? cs_model_dimension(model) : 0;
  float *vectors = malloc(4 * (size_t)size * sizeof *vectors);
  const char *texts[4];
  for (int i = 0; i < 4; ++i) texts[i] = kPairs[i][0];
  if (error == NULL) status = cs_encode(model, texts, NULL, 4, NULL, vectors, 4 * size, &error);
  for (size_t k = 0; error == NULL && k < sizeof kConfigs / sizeof *kConfigs; ++k) {
    cs_dataset *data = cs_dataset_new(&error);
    for (int i = 0; error == NULL && i < 4; ++i)
      cs_dataset_add(data, kPairs[i][0], -1, k == 0 ? kPairs[i][1] : NULL, -1, NAN, &error);
    cs_config *config = error == NULL ? cs_config_parse(kConfigs[k], &error) : NULL;
    cs_trainer *trainer = error == NULL ? cs_trainer_new(model, data, config, &error) : NULL;
    for (int i = 0; error == NULL && i < 2; ++i) cs_train_step(trainer, NULL, &error);
    cs_trainer_free(trainer);
    cs_config_free(config);
    cs_dataset_free(data);
  }
  /* Only the failing call reports an error; nothing is written to the standard streams. */
  cs_error *expected = NULL;
  if (error == NULL) {
    cs_model_free(cs_model_load("no such folder", NULL, &expected));
    if (expected == NULL) status = CS_ERROR_INTERNAL;
    cs_error_free(expected);
  }
  if (error != NULL) {
    status = cs_error_status(error);
    snprintf(why, room, "%s", cs_error_message(error));
    cs_error_free(error);
  }
  free(vectors);
  cs_model_free(model);
  return status;
}

static int came_back;

/* With a pending request, the first cancellation point (a system call that may wait) would unwind
 * the thread. */
static void *is_cancelled_in_a_call(void *unused) {
  (void)unused;
  pthread_cancel(pthread_self());
  cs_model *model = cs_model_load(CONTRASTIVE_FIXTURES "/models/bert_st", NULL, NULL);
  came_back = model != NULL;
  cs_model_free(model);
  ++came_back;
  pthread_testcancel();
  return NULL;
}

static void a_cancelled_thread_ends_behind_its_call(void **state) {
  (void)state;
  pthread_t thread;
  void *result = NULL;
  assert_int_equal(pthread_create(&thread, NULL, is_cancelled_in_a_call, NULL), 0);
  assert_int_equal(pthread_join(thread, &result), 0);
  assert_ptr_equal(result, PTHREAD_CANCELED);
  assert_int_equal(came_back, 2);
}

static void what_is_the_hosts_stays_as_it_was(void **state) {
  (void)state;
  static host before, after;
  char why[1024] = "";
  FILE *out = tmpfile(), *err = tmpfile();
  assert_true(out != NULL && err != NULL);
  look(&before);
  /* A sanitizer's report is more useful than this test's message. */
  const int watched_err = getenv("CONTRASTIVE_SANITIZED") == NULL ? STDERR_FILENO : fileno(err);
  const int kept_out = redirect(STDOUT_FILENO, out), kept_err = redirect(watched_err, err);
  const cs_status status = use_the_library(why, sizeof why);
  const long on_err = restore(watched_err, kept_err, err),
             on_out = restore(STDOUT_FILENO, kept_out, out);
  look(&after);
  if (status != CS_OK) fail_msg("%s", why);
  expect_same(&before, &after);
  if (on_err > 0) {
    char text[512] = "";
    rewind(err);
    text[fread(text, 1, sizeof text - 1, err)] = '\0';
    fail_msg("%ld bytes were written to stderr: %s", on_err, text);
  }
  assert_int_equal(on_out, 0);
  fclose(out);
  fclose(err);
  free(before.environment);
  free(after.environment);
  int here = 0, elsewhere = 0;
  small_numbers_are_kept(&here);
  pthread_t thread;
  assert_int_equal(pthread_create(&thread, NULL, small_numbers_are_kept, &elsewhere), 0);
  pthread_join(thread, NULL);
  assert_true(here && elsewhere);
}

int main(void) {
  const struct CMUnitTest tests[] = {leak_checked(what_is_the_hosts_stays_as_it_was),
                                     leak_checked(a_cancelled_thread_ends_behind_its_call)};
  return cmocka_run_group_tests_name("host", tests, NULL, NULL);
}
