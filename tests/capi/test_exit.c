/* exit() while other threads are inside the library: the process ends with its own status, within
 * the time that contrastive.h names. Each test runs in child processes. */
#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support.h"

enum {
  kDimension = 32,
  kTexts = 64,
  kSeconds = 60,
  kRounds = 8,
  kThreads = 3,
  kStatus = 7,
  kAge = 20,
  kSoon = 4,
  kAttempts = 6,
  kManyTexts = 2000000
};

static const char *const kModel = CONTRASTIVE_FIXTURES "/models/bert_st";

#ifdef __SANITIZE_ADDRESS__
/* LeakSanitizer calls this. It is off, because these children end during calls, whose memory is not
 * freed, and because it cannot stop threads that a forked child does not have. */
int __lsan_is_turned_off(void);
int __lsan_is_turned_off(void) { return 1; }
#endif

/* For children that are forked while another thread allocates. */
static void skip_under_asan(void) {
#ifdef __SANITIZE_ADDRESS__
  print_message(
      "skipped: AddressSanitizer of GCC 12 leaves its allocator's locks held in such a child\n");
  skip();
#endif
}

static void sleep_ms(long ms) {
  const struct timespec time = {ms / 1000, ms % 1000 * 1000000};
  nanosleep(&time, NULL);
}

static void give_up(const char *what, cs_error *error) {
  fprintf(stderr, "%s: %s\n", what, cs_error_message(error));
  _exit(100);
}

/* Runs `body` in a child. Returns its exit status, or 128 + the signal that ended it. */
static int ends(void (*body)(void)) {
  fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSeconds);
    body();
    _exit(101);
  }
  int status = 0;
  assert_int_equal(waitpid(child, &status, 0), child);
  return WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
}

/* The same for a body that sets an alarm of kSoon, because exit() must not use up its five seconds.
 * On a busy machine the destructors of LibTorch alone may take as long, but hardly every time. */
static int ends_soon(void (*body)(void)) {
  int end = 128 + SIGALRM;
  for (int i = 0; i < kAttempts && end == 128 + SIGALRM; ++i) end = ends(body);
  return end;
}

static cs_model *load(void) {
  cs_error *error = NULL;
  cs_model *model = cs_model_load(kModel, NULL, &error);
  if (model == NULL) give_up("load", error);
  return model;
}

static cs_trainer *make_trainer(cs_model *model) {
  cs_error *error = NULL;
  cs_config *config = cs_config_parse(
      "{\"method\": \"mnrl\", \"batch_size\": 16, \"max_steps\": 1000000, \"data_threads\": 1}",
      &error);
  cs_dataset *data = cs_dataset_new(&error);
  for (int i = 0; i < kTexts; ++i) {
    char text[40];
    snprintf(text, sizeof text, "the %d birds fly far", i);
    cs_dataset_add(data, text, -1, "a cat sat on the mat", -1, NAN, &error);
  }
  cs_trainer *trainer = cs_trainer_new(model, data, config, &error);
  if (trainer == NULL) give_up("trainer", error);
  cs_config_free(config);
  cs_dataset_free(data);
  return trainer;
}

/* The number of rounds that workers have begun. In the first one LibTorch makes static objects,
 * which exit() must not destroy during the call (contrastive.h). */
static atomic_int rounds;

/* Trains, embeds with the weights trained so far, loads and frees, until a call fails, which must
 * be cancelled. */
static void *work_until_refused(void *model) {
  cs_error *error = NULL;
  cs_trainer *trainer = make_trainer(model);
  const char *text = "two birds fly over the old house";
  float vector[kDimension];
  for (; error == NULL; ++rounds) {
    cs_train_step(trainer, NULL, &error);
    cs_model *trained = error == NULL ? cs_trainer_model(trainer, 0, &error) : NULL;
    if (trained != NULL) cs_encode(trained, &text, NULL, 1, NULL, vector, kDimension, &error);
    cs_model_free(trained);
  }
  if (cs_error_status(error) != CS_ERROR_CANCELLED) give_up("work", error);
  cs_error_free(error);
  cs_trainer_free(trainer);
  return NULL;
}

static void exit_beside_workers(void) {
  cs_model *model = load();
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, work_until_refused, model) != 0) _exit(102);
  }
  while (rounds < 4 * kThreads) sleep_ms(1);
  sleep_ms(20 + getpid() % 10);
  exit(kStatus);
}

static void exit_beside_training_ends_well(void **state) {
  (void)state;
  for (int round = 0; round < kRounds; ++round)
    assert_int_equal(ends(exit_beside_workers), kStatus);
}

/* LibTorch was loaded long before. By then the library rarely registers its exit handler again. */
static void exit_beside_a_late_worker(void) {
  cs_model *model = load();
  cs_string_free(cs_build_info(NULL)); /* loads LibTorch */
  for (int i = 0; i < kAge * 100; ++i) {
    cs_cancel_free(cs_cancel_new(NULL));
    sleep_ms(10);
  }
  pthread_t thread;
  if (pthread_create(&thread, NULL, work_until_refused, model) != 0) _exit(102);
  while (rounds < 4) sleep_ms(1);
  sleep_ms(20);
  exit(kStatus);
}

static void exit_beside_late_training_ends_well(void **state) {
  (void)state;
  assert_int_equal(ends(exit_beside_a_late_worker), kStatus);
}

static atomic_int embeds;

/* A call that would take minutes. */
static void *embed_much(void *model) {
  cs_error *error = NULL;
  const char **texts = malloc(kManyTexts * sizeof *texts);
  float *vectors = malloc(sizeof(float) * kManyTexts * kDimension);
  if (texts == NULL || vectors == NULL) _exit(103);
  for (int64_t i = 0; i < kManyTexts; ++i)
    texts[i] = "two birds fly over the old house, and a cat sat on the mat below it";
  embeds = 1;
  if (cs_encode(model, texts, NULL, kManyTexts, NULL, vectors, (int64_t)kManyTexts * kDimension,
                &error) != CS_ERROR_CANCELLED)
    give_up("encode", error);
  cs_error_free(error);
  return NULL;
}

static void exit_beside_a_long_call(void) {
  cs_model *model = load();
  cs_trainer_free(make_trainer(model)); /* LibTorch is loaded */
  pthread_t thread;
  if (pthread_create(&thread, NULL, embed_much, model) != 0) _exit(102);
  while (!embeds) sleep_ms(1);
  sleep_ms(500);
  alarm(kSoon);
  exit(kStatus);
}

static void exit_ends_a_long_call(void **state) {
  (void)state;
  assert_int_equal(ends_soon(exit_beside_a_long_call), kStatus);
}

/* A call that cannot be cancelled, because a signal handler of the host blocks in it. */
static void stay(int signal) {
  (void)signal;
  for (;;) pause();
}

static int marks[2]; /* a pipe, for the times at which exit() is called and continues */

static void mark_time(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (write(marks[1], &now, sizeof now) != (ssize_t)sizeof now) _exit(103);
}

static void exit_beside_a_call_that_stays(void) {
  atexit(mark_time); /* registered before the handler that waits, and so called after it */
  cs_model *model = load();
  cs_trainer_free(make_trainer(model));
  signal(SIGUSR1, stay);
  pthread_t thread;
  if (pthread_create(&thread, NULL, embed_much, model) != 0) _exit(102);
  while (!embeds) sleep_ms(1);
  sleep_ms(500);
  pthread_kill(thread, SIGUSR1);
  sleep_ms(500);
  mark_time();
  alarm(30);
  exit(kStatus);
}

static void exit_continues_after_five_seconds(void **state) {
  (void)state;
  struct timespec begin, end;
  assert_int_equal(pipe(marks), 0);
  assert_int_equal(ends(exit_beside_a_call_that_stays), kStatus);
  assert_int_equal(read(marks[0], &begin, sizeof begin), (int)sizeof begin);
  assert_int_equal(read(marks[0], &end, sizeof end), (int)sizeof end);
  assert_in_range(end.tv_sec - begin.tv_sec, 4, 25);
  close(marks[0]);
  close(marks[1]);
}

/* Registered before LibTorch is loaded, so it runs after exit() has ended the calls. */
static cs_model *kept;
static void call_after_the_end(void) {
  cs_error *error = NULL;
  const char *text = "a cat";
  float vector[kDimension];
  if (cs_encode(kept, &text, NULL, 1, NULL, vector, kDimension, &error) != CS_ERROR_CANCELLED)
    _exit(104);
  if (strstr(cs_error_message(error), "the process exits") == NULL) _exit(105);
  if (cs_model_load(kModel, NULL, NULL) != NULL) _exit(106);
  cs_error_free(error);
  const int64_t handles = cs_live_handles();
  cs_model_free(kept);
  cs_model_free(kept);
  if (cs_live_handles() != handles - 1) _exit(107);
}

static void exit_then_call(void) {
  atexit(call_after_the_end);
  kept = load();
  cs_trainer_free(make_trainer(kept));
  exit(kStatus);
}

static void calls_from_handlers_of_exit_are_refused(void **state) {
  (void)state;
  assert_int_equal(ends(exit_then_call), kStatus);
}

static void exit_in_sink(int32_t level, const char *message, void *user) {
  (void)level, (void)message, (void)user;
  exit(kStatus);
}

static void exit_inside_a_call(void) {
  cs_error *error = NULL;
  cs_model *model = load();
  cs_trainer *trainer = make_trainer(model);
  if (cs_set_log_sink(exit_in_sink, CS_LOG_DEBUG, NULL, &error) != CS_OK) give_up("sink", error);
  while (cs_train_step(trainer, NULL, &error) >= 0) cs_model_free(load());
}

static void exit_in_a_log_sink_waits_for_nobody(void **state) {
  (void)state;
  assert_int_equal(ends(exit_inside_a_call), kStatus);
}

/* Calls of other threads were running at the time of the fork. */
static void exit_of_a_forked_child(void) {
  cs_model *model = load();
  cs_trainer_free(make_trainer(model));
  pthread_t thread;
  if (pthread_create(&thread, NULL, embed_much, model) != 0) _exit(102);
  while (!embeds) sleep_ms(1);
  sleep_ms(500);
  const pid_t child = fork();
  if (child == 0) {
    alarm(kSoon);
    exit(kStatus);
  }
  int status = 0;
  waitpid(child, &status, 0);
  _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

static void a_forked_child_waits_for_no_thread_of_its_parent(void **state) {
  (void)state;
  skip_under_asan();
  assert_int_equal(ends_soon(exit_of_a_forked_child), kStatus);
}

/* Calls of other threads begin and end during the fork. */
static void *call_shortly(void *unused) {
  for (;;) cs_cancel_free(cs_cancel_new(NULL));
  return unused;
}

static void exit_of_many_forked_children(void) {
  alarm(10 * kSeconds);
  cs_trainer_free(make_trainer(load()));
  for (int i = 0; i < kThreads; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, call_shortly, NULL) != 0) _exit(102);
  }
  for (int i = 0; i < 20; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(kSeconds);
      exit(kStatus);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != kStatus) _exit(109);
  }
  _exit(kStatus);
}

static void children_forked_beside_short_calls_exit(void **state) {
  (void)state;
  skip_under_asan();
  assert_int_equal(ends(exit_of_many_forked_children), kStatus);
}

/* Blocks like Java's virtual machine, which stops a thread that enters it during its exit. */
static atomic_int held;
static void hold(int32_t level, const char *message, void *user) {
  (void)level, (void)message, (void)user;
  for (held = 1;;) pause();
}

static void *log_for_ever(void *trainer) {
  while (cs_train_step(trainer, NULL, NULL) >= 0) cs_model_free(load());
  return NULL;
}

static void exit_beside_a_held_sink(void) {
  cs_error *error = NULL;
  cs_trainer *trainer = make_trainer(load()), *other = make_trainer(load());
  if (cs_set_log_sink(hold, CS_LOG_DEBUG, NULL, &error) != CS_OK) give_up("sink", error);
  pthread_t first, second;
  if (pthread_create(&first, NULL, log_for_ever, trainer) != 0) _exit(102);
  while (!held) sleep_ms(1);
  if (pthread_create(&second, NULL, log_for_ever, other) != 0)
    _exit(102); /* waits for the sink of the first one */
  sleep_ms(300);
  alarm(kSoon);
  exit(kStatus);
}

static void exit_waits_for_no_log_sink(void **state) {
  (void)state;
  assert_int_equal(ends_soon(exit_beside_a_held_sink), kStatus);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      leak_checked(exit_beside_training_ends_well),
      leak_checked(exit_beside_late_training_ends_well),
      leak_checked(exit_ends_a_long_call),
      leak_checked(exit_continues_after_five_seconds),
      leak_checked(calls_from_handlers_of_exit_are_refused),
      leak_checked(exit_in_a_log_sink_waits_for_nobody),
      leak_checked(a_forked_child_waits_for_no_thread_of_its_parent),
      leak_checked(children_forked_beside_short_calls_exit),
      leak_checked(exit_waits_for_no_log_sink),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
